import t from 'tap'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { ask, testIngress, testOrg } from '../support/ingress.ts'
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
  t.match(list, new RegExp(`/app/templates/${mail}">Order<.*/app/templates/push/${push}">shipped<`, 's'))
  const shown = (await get(url, `/app/templates/${mail}`, viewer)).text
  t.match(shown, /<code>order\.number<\/code>, <code>name<\/code>.*&lt;script&gt;alert\(1\)/s)
  t.notMatch(shown, '<script>alert')
  t.match((await get(url, `/app/templates/push/${push}`, viewer)).text, /<code>order<\/code>.*Shipped.*Unterwegs/s)
  const stranger = (await scene()).developer
  t.equal((await get(url, `/app/templates/${mail}`, stranger)).status, 404)
  t.equal((await get(url, `/app/templates/push/${push}`, stranger)).status, 404)
})
