import t from 'tap'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email', 'push'], services: [secret] })

async function scene() {
  const { org, keys } = await testOrg(db, ['email:manage', 'push:manage'])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, key: keys.main, developer, viewer }
}

t.test('an address is suppressed, found and let go; one that has complained stays', async (t) => {
  const { org, developer, viewer } = await scene()
  t.match((await get(url, '/app/suppressions', viewer)).text, 'No suppressed addresses.')
  const added = await submit(url, '/app/suppressions/new', developer, { email: ' Ann@People.Example', detail: 'asked' })
  t.equal(added.status, 303)
  const complained = { org_id: org.id, email: 'bob@people.example', message_id: null, detail: null }
  await suppressions.insertMany(db, [{ ...complained, reason: 'complaint' }])
  const listed = (await get(url, '/app/suppressions', developer)).text
  t.match(listed, /bob@people\.example.*permanent.*ann@people\.example.*asked.*Remove suppression/s)
  const seen = (await get(url, '/app/suppressions', viewer)).text
  t.notMatch(seen, /Remove suppression<|suppressions\/(new|remove)/)
  const filtered = (await get(url, '/app/suppressions?reason=complaint&email=', viewer)).text
  t.match(filtered, 'bob@people.example')
  t.notMatch(filtered, 'ann@people.example')
  t.match((await get(url, '/app/suppressions?email=eve%40people.example', viewer)).text, 'match these filters')
  const stays = await submit(url, '/app/suppressions/remove', developer, { email: 'bob@people.example' })
  t.equal(stays.headers.get('location'), '/app/suppressions')
  t.match((await get(url, '/app/suppressions', developer)).text, /class="told"[^>]*>The recipient has complained/)
  t.equal((await submit(url, '/app/suppressions/remove', developer, { email: 'ann@people.example' })).status, 303)
  t.notMatch((await get(url, '/app/suppressions', developer)).text, '<th scope="row" class="break">ann')
})

t.test(
  'a suppression is refused at its field, to a viewer, and without the session’s token; others see none',
  async (t) => {
    const { developer, viewer } = await scene()
    const given = { email: 'ann@people.example', detail: '' }
    const faulty = await submit(url, '/app/suppressions/new', developer, { ...given, email: 'no address' })
    t.equal(faulty.status, 400)
    t.match(faulty.text, /value="no address".*id="email-fault"/s)
    for (const path of ['new', 'remove']) {
      t.equal((await submit(url, `/app/suppressions/${path}`, viewer, given)).status, 403)
      t.equal((await submit(url, `/app/suppressions/${path}`, developer, { ...given, token: 'another' })).status, 403)
    }
    await submit(url, '/app/suppressions/new', developer, given)
    const stranger = (await scene()).developer
    t.match((await get(url, '/app/suppressions', stranger)).text, 'No suppressed addresses.')
    t.equal((await submit(url, '/app/suppressions/remove', stranger, given)).status, 404)
    t.match((await get(url, '/app/suppressions', developer)).text, 'ann@people.example')
  },
)

t.test('a contact is added, shown with the history of their consent, and unsubscribed for good', async (t) => {
  const { developer, viewer } = await scene()
  const faulty = await submit(url, '/app/contacts/new', developer, { email: 'ann@people.example', consent_source: ' ' })
  t.equal(faulty.status, 400)
  t.match(faulty.text, 'id="consent_source-fault"')
  const given = { email: 'ann@people.example', consent_source: 'sign-up <form>' }
  const path = (await submit(url, '/app/contacts/new', developer, given)).headers.get('location') ?? ''
  const page = (await get(url, path, viewer)).text
  t.match(page, /ann@people\.example.*confirmed.*<h2>Consent<\/h2>.*added.*sign-up &lt;form&gt;/s)
  t.notMatch(page, `${path}/unsubscribe`)
  t.match((await get(url, '/app/contacts?email=ann@people.example', viewer)).text, `href="${path}"`)
  t.match((await get(url, '/app/contacts?email=eve@people.example', viewer)).text, 'match these filters')
  t.notMatch((await get(url, '/app/contacts?status=unsubscribed', viewer)).text, path)
  for (const verb of ['unsubscribe', 'remove']) {
    t.equal((await submit(url, `${path}/${verb}`, viewer, {})).status, 403)
    t.equal((await submit(url, `${path}/${verb}`, developer, { token: 'another' })).status, 403)
  }
  t.match((await get(url, `${path}/unsubscribe`, developer)).text, 'Unsubscribe ann@people.example?')
  t.equal((await submit(url, `${path}/unsubscribe`, developer, {})).headers.get('location'), path)
  t.match((await get(url, path, developer)).text, /unsubscribed.*is kept so that it cannot be added again/s)
  const kept = await submit(url, `${path}/remove`, developer, {})
  t.equal(kept.status, 409)
  const again = await submit(url, '/app/contacts/new', developer, given)
  t.equal(again.status, 409)
  t.match(again.text, 'has unsubscribed')
})

t.test('a contact is removed, and is none of another organisation’s', async (t) => {
  const { developer } = await scene()
  const given = { email: 'ann@people.example', consent_source: 'form' }
  const path = (await submit(url, '/app/contacts/new', developer, given)).headers.get('location') ?? ''
  const stranger = (await scene()).developer
  t.equal((await get(url, path, stranger)).status, 404)
  for (const verb of ['unsubscribe', 'remove']) {
    t.equal((await get(url, `${path}/${verb}`, stranger)).status, 404)
    t.equal((await submit(url, `${path}/${verb}`, stranger, {})).status, 404)
  }
  t.match((await get(url, '/app/contacts', stranger)).text, 'No contacts yet')
  t.equal((await submit(url, `${path}/remove`, developer, {})).headers.get('location'), '/app/contacts')
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('templates are listed and shown as their source, those of mail and of pushes', async (t) => {
  const { key, viewer } = await scene()
  t.match((await get(url, '/app/templates', viewer)).text, /No email templates yet.*No push templates yet/s)
  const body = { name: 'Order', subject: 'Your order {{order.number}}', html: '<script>alert(1)</script>{{name}}' }
  const mail = (await ask(url, 'POST /send/v1/templates', { key, body })).body.id
  const locales = { en: { title: 'Shipped', body: 'Order {{order}}' }, de: { title: 'Unterwegs' } }
  const texts = { name: 'shipped', default_locale: 'en', locales }
  const push = (await ask(url, 'POST /push/v1/templates', { key, body: texts })).body.id
  const list = (await get(url, '/app/templates', viewer)).text
  t.match(list, new RegExp(`/app/templates/${mail}">Order<.*/app/push/templates/${push}">shipped<`, 's'))
  const shown = (await get(url, `/app/templates/${mail}?view=source`, viewer)).text
  t.match(shown, /<code>order\.number<\/code>, <code>name<\/code>.*&lt;script&gt;alert\(1\)/s)
  t.notMatch(shown, '<script>alert')
  t.match((await get(url, `/app/push/templates/${push}`, viewer)).text, /Variables.*order.*Shipped.*Unterwegs/s)
  const stranger = (await scene()).developer
  t.equal((await get(url, `/app/templates/${mail}`, stranger)).status, 404)
  t.equal((await get(url, `/app/push/templates/${push}`, stranger)).status, 404)
})

t.test('a template is written beside its preview, keeps its versions, and is restored and removed', async (t) => {
  const { developer, viewer } = await scene()
  t.match((await get(url, '/app/templates/new', developer)).text, /<iframe[^>]*sandbox/)
  t.equal((await get(url, '/app/templates/new', viewer)).status, 403)
  const form = {
    name: 'Order',
    subject: 'Order {{order.number}}',
    html: '<p>Hi {{name|"you"}}<script>x()</script>',
    text: '',
  }
  const bad = await submit(url, '/app/templates/new', developer, { ...form, subject: '', html: '{{ order' })
  t.match([bad.status, bad.text], [400, /id="subject-fault".*id="html-fault"/s])
  const examples = { variable: ['order.number', 'name'], example: ['17', ''] }
  const preview = await submit(url, '/app/templates/preview', developer, { ...form, ...examples, view: 'dark' })
  t.match(preview.text, /color-scheme:only dark.*<p>Hi you</s, 'an empty value shows the fallback')
  t.match(preview.headers.get('content-security-policy'), /default-src 'none'.*sandbox/)
  const panel = (await submit(url, '/app/templates/check', developer, { ...form, ...examples })).text
  t.match(panel, /<dd>Order 17<\/dd>.*<code>order\.number<\/code>.*value="17".*<code>name<\/code>/s)
  t.match((await submit(url, '/app/templates/check', developer, { ...form, html: '{{ x' })).text, /<li>HTML has `{{ x`/)
  t.match(
    (await submit(url, '/app/templates/preview', developer, { ...form, view: 'text' })).text,
    '<pre>Hi [name]</pre>',
  )
  t.equal((await submit(url, '/app/templates/preview', viewer, form)).status, 403)
  t.equal((await submit(url, '/app/templates/preview', developer, { ...form, token: 'another' })).status, 403)

  const path = (await submit(url, '/app/templates/new', developer, form)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, new RegExp(`data-copy="${path.split('/').at(-1)}".*${path}/shown`, 's'))
  t.match((await get(url, `${path}/shown`, viewer)).text, 'Hi [name]')
  t.equal((await submit(url, `${path}/edit`, developer, { ...form, html: '<p>Bye' })).headers.get('location'), path)
  t.match((await get(url, `${path}/versions`, viewer)).text, /versions\/2">2.*current.*versions\/1">1/s)
  t.match((await get(url, `${path}/versions/1?view=source`, viewer)).text, '&lt;p&gt;Hi')
  t.match((await get(url, `${path}/versions/1/shown`, viewer)).text, 'Hi [name]')
  t.equal((await submit(url, `${path}/versions/1/restore`, viewer, {})).status, 403)
  t.equal((await submit(url, `${path}/versions/1/restore`, developer, {})).headers.get('location'), path)
  t.match((await get(url, `${path}/versions`, viewer)).text, /versions\/3">3.*current/s)
  t.match((await get(url, `${path}?view=source`, viewer)).text, '&lt;p&gt;Hi')
  const stranger = (await scene()).developer
  for (const page of ['', '/edit', '/test', '/versions', '/versions/1', '/shown', '/remove'])
    t.equal((await get(url, path + page, stranger)).status, 404, page)
  t.equal((await submit(url, `${path}/remove`, developer, {})).headers.get('location'), '/app/templates')
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a test of a template goes to its writer with the values of the form', async (t) => {
  const { org, key, developer } = await scene()
  const body = { name: 'Order', subject: 'Order {{number}}', html: '<p>{{name}}' }
  const { id } = (await ask(url, 'POST /send/v1/templates', { key, body })).body
  t.match((await get(url, `/app/templates/${id}/test`, developer)).text, 'Add and verify a domain')
  await addDomain(db, org.id, 'shop.example')
  t.match((await get(url, `/app/templates/${id}/test`, developer)).text, /value="hello@shop\.example".*<code>number/s)
  const values = { to: developer.email, variable: ['number', 'name'], example: ['17', 'Ann'] }
  const bad = await submit(url, `/app/templates/${id}/test`, developer, { ...values, from: 'a@other.example' })
  t.equal(bad.status, 403)
  const sent = await submit(url, `/app/templates/${id}/test`, developer, { ...values, from: 'hello@shop.example' })
  const message = sent.headers.get('location') ?? ''
  t.match(message, /^\/app\/mail\//)
  t.match((await get(url, message, developer)).text, '[Test] Order 17')
  t.match((await get(url, `${message}/shown`, developer)).text, '<p>Ann')
})

t.test('the API lists, reads and restores versions of a template, the newest 50', async (t) => {
  const { key } = await scene()
  const call = (request: string, body?: unknown) => ask(url, request, { key, body })
  const { id } = (await call('POST /send/v1/templates', { name: 'A', subject: 'S', html: '<p>1' })).body
  for (let i = 2; i <= 52; i++) await call(`PATCH /send/v1/templates/${id}`, { html: `<p>${i}` })
  await call(`PATCH /send/v1/templates/${id}`, { html: '<p>52' })
  const first = (await call(`GET /send/v1/templates/${id}/versions?limit=30`)).body
  t.match(first.data[0], { template_id: id, number: 52, name: 'A', subject: 'S' })
  const second = (await call(`GET /send/v1/templates/${id}/versions?limit=30&cursor=${first.next_cursor}`)).body
  t.equal(second.data.at(-1).number, 3, 'the same content adds no version, and the oldest ones are deleted')
  t.match((await call(`GET /send/v1/templates/${id}/versions/3`)).body, { html: '<p>3', text: null, variables: [] })
  t.equal((await call(`GET /send/v1/templates/${id}/versions/2`)).status, 404)
  t.match((await call(`POST /send/v1/templates/${id}/versions/3/restore`)).body, { id, html: '<p>3' })
  const other = (await scene()).key
  for (const path of ['versions', 'versions/3'])
    t.equal((await ask(url, `GET /send/v1/templates/${id}/${path}`, { key: other })).status, 404, path)
  t.equal((await ask(url, `POST /send/v1/templates/${id}/versions/3/restore`, { key: other })).status, 404)
})

t.test('a Liquid template has test data, and a draft that is published or discarded', async (t) => {
  const { developer } = await scene()
  const form = {
    ...{ name: 'Receipt', alias: 'receipt', syntax: 'liquid', subject: 'For {{ name }}', text: '' },
    html: '{% for item in items %}<p>{{ item }}</p>{% endfor %}',
    test_data: '{"name": "Ann", "items": ["Tea", "<b>"]}',
  }
  t.match((await submit(url, '/app/templates/preview', developer, form)).text, '<p>Tea</p><p>&#60;b&#62;</p>')
  const panel = (await submit(url, '/app/templates/check', developer, form)).text
  t.match(panel, /<dd>For Ann<\/dd>.*<code>name<\/code>, <code>items<\/code>/s)
  t.match(
    (await submit(url, '/app/templates/check', developer, { ...form, html: '{% if %}' })).text,
    'HTML is not valid Liquid',
  )
  const bad = await submit(url, '/app/templates/new', developer, { ...form, test_data: '[1' })
  t.match([bad.status, bad.text], [400, 'id="test_data-fault"'])
  const path = (await submit(url, '/app/templates/new', developer, form)).headers.get('location') ?? ''
  t.match((await get(url, path, developer)).text, /receipt.*liquid/s)
  t.match((await get(url, `${path}/shown`, developer)).text, '<p>Tea</p>')
  await submit(url, `${path}/edit`, developer, { ...form, html: '<p>Next {{ name }}</p>', do: 'draft' })
  t.match((await get(url, path, developer)).text, 'Publish draft')
  t.match((await get(url, `${path}/shown`, developer)).text, '<p>Tea</p>')
  t.match((await get(url, `${path}/shown?state=draft`, developer)).text, '<p>Next Ann</p>')
  t.match((await get(url, `${path}/edit`, developer)).text, 'The form shows the draft')
  await submit(url, `${path}/publish`, developer, {})
  t.match((await get(url, `${path}/shown`, developer)).text, '<p>Next Ann</p>')
  t.notMatch((await get(url, path, developer)).text, 'Publish draft')
})
