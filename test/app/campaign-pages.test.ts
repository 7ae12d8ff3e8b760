import t from 'tap'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { get, signedIn, submit } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services: [secret] })

async function scene() {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, developer, viewer }
}

const ann = { email: 'ann@people.example', consent_source: 'form', name: 'Ann <Lee>', tags: 'vip, eu' }

t.test('what is known of a contact is shown and changed, and told at its field where it is amiss', async (t) => {
  const { developer, viewer } = await scene()
  const path = (await submit(url, '/app/contacts/new', developer, ann)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /Ann &lt;Lee&gt;.*eu, vip/s)
  t.notMatch((await get(url, path, viewer)).text, `${path}/edit`)
  const bad = await submit(url, `${path}/edit`, developer, { name: 'Ann', tags: '', attributes: '[1]' })
  t.match([bad.status, bad.text], [400, /id="attributes-fault"/])
  const given = { name: 'Ann', tags: 'new', attributes: '{"city": "Tallinn", "orders": 3}' }
  t.equal((await submit(url, `${path}/edit`, developer, given)).headers.get('location'), path)
  t.match((await get(url, path, viewer)).text, /new.*&quot;city&quot;: &quot;Tallinn&quot;/s)
  await submit(url, `${path}/edit`, developer, { ...given, attributes: '{"orders": 4}' })
  t.notMatch((await get(url, path, viewer)).text, 'Tallinn')
  t.equal((await submit(url, `${path}/edit`, viewer, given)).status, 403)
})

t.test('a segment is counted before it is saved, shown, and removed', async (t) => {
  const { developer, viewer } = await scene()
  await submit(url, '/app/contacts/new', developer, ann)
  const given = { name: 'Vips', match: 'all', conditions: 'tag has vip\r\n\r\nname contains ann lee ' }
  const none = await submit(url, '/app/segments/new', developer, { ...given, what: 'count' })
  t.match([none.status, none.text], [200, /Matching contacts: 0 confirmed.*tag has vip/s])
  const one = { ...given, conditions: 'tag has vip\nname contains ann' }
  t.match(
    (await submit(url, '/app/segments/new', developer, { ...one, what: 'count' })).text,
    'Matching contacts: 1 confirmed',
  )
  const bad = await submit(url, '/app/segments/new', developer, { ...one, conditions: 'tag is vip' })
  t.match([bad.status, bad.text], [400, /id="conditions-fault"/])
  const path = (await submit(url, '/app/segments/new', developer, one)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /1 confirmed.*tag has vip\nname contains ann/s)
  t.match((await get(url, '/app/segments', viewer)).text, 'tag has vip and name contains ann')
  t.equal((await get(url, path, (await scene()).developer)).status, 404)
  t.equal((await submit(url, `${path}/remove`, developer, {})).headers.get('location'), '/app/segments')
  t.equal((await get(url, path, developer)).status, 404)
})

t.test('a campaign is written, changed, seen, tried out, scheduled and cancelled', async (t) => {
  const { org, developer, viewer } = await scene()
  await addDomain(db, org.id, 'shop.example')
  await submit(url, '/app/contacts/new', developer, ann)
  const form = await get(url, '/app/campaigns/new', developer)
  t.match(form.text, 'all confirmed contacts')
  const given = {
    ...{ name: 'News', from_email: 'news@shop.example', from_name: '', segment_id: '', preheader: '', text: '' },
    ...{ subject: 'For {{contact.name|"you"}}', html: '<script>alert(1)</script><p>Hi {{contact.name|"you"}}' },
  }
  const bad = await submit(url, '/app/campaigns/new', developer, { ...given, html: '{{name}}', from_email: 'x' })
  t.match([bad.status, bad.text], [400, /id="from_email-fault".*id="html-fault"/s])
  const path = (await submit(url, '/app/campaigns/new', developer, given)).headers.get('location') ?? ''
  t.match((await get(url, path, viewer)).text, /draft.*&lt;script&gt;/s)
  t.notMatch((await get(url, path, viewer)).text, `${path}/send`)
  await submit(url, `${path}/edit`, developer, { ...given, name: 'Better news' })
  t.match((await get(url, '/app/campaigns', viewer)).text, 'Better news')
  const shown = await submit(url, `${path}/preview`, developer, { contact: ann.email })
  t.match(shown.text, /For Ann &lt;Lee&gt;.*<iframe[^>]*shown\?contact=ann%40people\.example" sandbox/s)
  const mail = await get(url, `${path}/shown?contact=ann%40people.example`, developer)
  t.match(mail.text, '<p>Hi Ann &#60;Lee&#62;')
  t.match(mail.headers.get('content-security-policy'), /default-src 'none'.*; sandbox;/)
  const nobody = await submit(url, `${path}/preview`, developer, { contact: 'no@one.example' })
  t.match([nobody.status, nobody.text], [400, /id="contact-fault"/])
  const tested = await submit(url, `${path}/test`, developer, {
    to: 'me@office.example, you@office.example',
    contact: '',
  })
  t.equal(tested.headers.get('location'), path)
  t.match((await get(url, '/app/mail', developer)).text, '[Test] For you')
  await submit(url, `${path}/send`, developer, { send_at: '2999-01-01T10:00' }).then(({ status }) =>
    t.equal(status, 400),
  )
  const at = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16)
  t.equal((await submit(url, `${path}/send`, developer, { send_at: at })).status, 303)
  t.match((await get(url, path, viewer)).text, /scheduled.*Starts/s)
  for (const verb of ['edit', 'test', 'send', 'cancel', 'preview'])
    t.equal((await submit(url, `${path}/${verb}`, viewer, given)).status, 403, verb)
  t.equal((await submit(url, `${path}/cancel`, developer, {})).status, 303)
  t.match((await get(url, path, viewer)).text, 'cancelled')
  const stranger = (await scene()).developer
  for (const page of ['', '/preview', '/shown']) t.equal((await get(url, path + page, stranger)).status, 404, page)
})
