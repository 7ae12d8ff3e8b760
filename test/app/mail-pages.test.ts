import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as suppressions from '#sql/email/contacts/suppressions.ts'
import { classes } from '#tasks/email/rules/replies/classes.ts'
import { findCause } from '../../ingress/email/messages/causes.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { outcomes, verified } from '../email/sending.ts'
import { testDatabase } from '../support/database.ts'
import { testIngress, testOrg } from '../support/ingress.ts'
import { addDomain } from '../support/mail-stack.ts'
import { get, signedIn, submit, toldOf } from './fixture.ts'

const { db } = await testDatabase(t)
const secret = provide(signingSecret, 'a secret of this test, long enough to sign')
const { url } = await testIngress(t, db, [], { only: ['app', 'account', 'email'], services: [secret] })

async function scene() {
  const { org } = await testOrg(db, [])
  const developer = await signedIn(db, url, org.id, 'developer')
  const viewer = await signedIn(db, url, org.id, 'viewer')
  return { org, developer, viewer }
}

t.test('a domain is added, shown with the records to publish, and removed', async (t) => {
  const { org, developer, viewer } = await scene()
  const added = await submit(url, '/app/domains/new', developer, { domain: 'Shop.Example' })
  t.equal(added.headers.get('location'), '/app/domains/shop.example')
  const page = await get(url, '/app/domains/shop.example', viewer)
  t.match(page.text, /bounce\.shop\.example.*v=spf1/s)
  t.notMatch(page.text, '/app/domains/shop.example/remove')
  t.equal((await get(url, '/app/domains/shop.example', (await scene()).developer)).status, 404)
  const again = await submit(url, '/app/domains/new', developer, { domain: 'shop.example' })
  t.equal(again.status, 409)
  t.match(again.text, 'is already one of your domains')
  const faulty = await submit(url, '/app/domains/new', developer, { domain: 'gmail.com' })
  t.match(faulty.text, /id="domain-fault">must be a domain that you own/)
  t.equal((await submit(url, '/app/domains/shop.example/remove', viewer, {})).status, 403)
  t.equal((await submit(url, '/app/domains/shop.example/remove', developer, {})).status, 303)
  t.match((await get(url, '/app/domains', developer)).text, 'No domains yet')
  const by = { by: 'user', name: developer.email }
  t.match(await toldOf(db, org.id, developer, /domain/), [
    { ...by, action: 'email_domain.deleted' },
    { ...by, action: 'email_domain.created', after: { domain: 'shop.example' } },
  ])
})

t.test(
  'a mail that may not leave is refused at its field; the list is filtered and stays with its organisation',
  async (t) => {
    const { developer, viewer } = await scene()
    const mail = {
      from: 'me@nowhere.example',
      to: 'ann@people.example',
      stream: 'transactional',
      subject: 'Hi',
      text: 'Hello',
    }
    const refused = await submit(url, '/app/mail/new', developer, mail)
    t.ok(refused.status >= 400 && refused.status < 500, `${refused.status}`)
    t.match(refused.text, 'value="me@nowhere.example"')
    t.equal((await submit(url, '/app/mail/new', viewer, mail)).status, 403)
    t.equal((await get(url, '/app/mail?status=bounced&stream=&to=', viewer)).status, 200)
    t.equal((await get(url, '/app/mail?status=odd', viewer)).status, 400)
    t.equal((await get(url, '/app/mail/no-id', viewer)).status, 404)
  },
)

t.test('a mail goes with copies at its time, is found by its tag, and is cancelled with them', async (t) => {
  const { org, developer, viewer } = await scene()
  await verified(db, org.id, 'shop.example')
  const mail = {
    from: 'orders@shop.example',
    to: 'ann@people.example',
    cc: 'bob@people.example, cat@people.example',
    bcc: 'eve@people.example',
    stream: 'transactional',
    subject: 'Your invoice',
    text: 'Hello',
    tags: 'kind:invoice, team:a',
    send_at: new Date(Date.now() + 3_600_000).toISOString().slice(0, 16),
  }
  const faulty = await submit(url, '/app/mail/new', developer, { ...mail, cc: 'bob@people.example, x', tags: 'kind' })
  t.equal(faulty.status, 400)
  t.match(faulty.text, /id="cc-fault">must be an email address.*id="tags-fault">/s)
  const sent = await submit(url, '/app/mail/new', developer, mail)
  const path = sent.headers.get('location') ?? ''
  t.match(path, /^\/app\/mail\/[0-9a-f-]{36}$/)
  const page = await get(url, path, viewer)
  t.match(page.text, /scheduled.*bob@people\.example.*cat@people\.example.*eve@people\.example/s)
  t.match(page.text, 'href="/app/mail?tag=kind%3Ainvoice"')
  t.notMatch(page.text, `${path}/cancel`, 'a viewer cancels nothing')
  t.match((await get(url, path, developer)).text, `${path}/cancel`)
  t.match((await get(url, '/app/mail?tag=kind:invoice', viewer)).text, path)
  t.notMatch((await get(url, '/app/mail?tag=kind:order', viewer)).text, path)
  t.match((await get(url, '/app/mail?from=orders@shop.example&since=2020-01-01T00:00', viewer)).text, path)
  t.equal((await submit(url, `${path}/cancel`, viewer, {})).status, 403)
  t.equal((await submit(url, `${path}/cancel`, developer, {})).headers.get('location'), path)
  t.match((await get(url, path, developer)).text, /cancelled.*Copies.*cancelled/s)
})

t.test('the page of a bounced mail shows why, the dialogue, the mail and its recipient’s other mail', async (t) => {
  const { org, developer, viewer } = await scene()
  await addDomain(db, org.id, 'shop.example')
  const mail = { from: 'orders@shop.example', to: 'ann@people.example', stream: 'transactional', subject: 'Invoice' }
  const letter = { text: 'Hello, Ann', html: '<p>Hello, <b>Ann</b><script>x()</script>' }
  const form = (await get(url, '/app/mail/new', developer)).text
  t.match(form, /value="hello@shop\.example".*data-value="bounced@simulator\./s)
  const first = (await submit(url, '/app/mail/new', developer, { ...mail, ...letter })).headers.get('location') ?? ''
  const path = (await submit(url, '/app/mail/new', developer, { ...mail, ...letter })).headers.get('location') ?? ''
  const id = path.split('/').at(-1) as string
  const reason = '550 5.1.1 No such user'
  const reply = { stage: 'RCPT', code: 550, enhanced: '5.1.1', text: 'No such <user>', ms: 12 }
  await db.query(sql.typeAlias('void')`
    insert into email.attempts (id, org_id, message_id, number, outcome, reply_class, mx_host, mx_address, pool, local_address,
      tls, replies, started_at, ended_at)
    values (${newId()}, ${org.id}, ${id}, 1, 'bounced', 'invalid_recipient', 'mx.people.example', '192.0.2.1', 'transactional',
      '', null, ${sql.jsonb([reply])}, now(), now())`)
  await outcomes(db, [{ messageId: id, status: 'bounced', replyClass: 'invalid_recipient', reason }])
  await suppressions.insertMany(db, [
    { org_id: org.id, email: mail.to, reason: 'bounce', message_id: id, detail: reason },
  ])
  const page = (await get(url, path, developer)).text
  t.match(page, /data-live="mail\/.*bounced.*does not know this address.*Check the spelling/s)
  t.match(page, /href="\/app\/suppressions\?email=ann%40people\.example">This address is suppressed/)
  const link =
    /href="(\/app\/mail\?status=bounced[^"]*)"[^>]*>1</.exec((await get(url, '/app', viewer)).text)?.[1] ?? ''
  const listed = (await get(url, link.replaceAll('&amp;', '&'), viewer)).text
  t.match(listed, path, 'the overview counts it, and leads to it')
  t.notMatch(listed, first)
  t.match(page, /RCPT<\/th>.*550 5\.1\.1 No such &lt;user&gt;.*12 ms/s)
  t.match(page, new RegExp(`Other messages to this recipient.*${first}`, 's'))
  t.match(page, new RegExp(`<iframe[^>]*sandbox[^>]*src="${path}/shown`))
  t.match((await get(url, `${path}/shown`, developer)).text, '<p>Hello, <b>Ann</b>')
  t.match((await get(url, `${path}/shown?view=text`, developer)).text, '<pre>Hello, Ann</pre>')
  t.match(await toldOf(db, org.id, developer, /contents\.read/), [{ target: id }])
  const seen = (await get(url, path, viewer)).text
  t.match(seen, 'Your role cannot read the content of messages.')
  t.notMatch(seen, /unsuppress|\/shown/)
  t.equal((await get(url, `${path}/shown`, viewer)).status, 403)
  t.equal((await submit(url, `${path}/unsuppress`, viewer, {})).status, 403)
  t.equal((await submit(url, `${path}/unsuppress`, developer, {})).headers.get('location'), path)
  t.notMatch((await get(url, path, developer)).text, 'is suppressed')
  await db.query(sql.typeAlias('void')`delete from email.contents where org_id = ${org.id}`)
  t.match((await get(url, path, developer)).text, 'The content was kept until')
  t.equal((await get(url, `${path}/shown`, developer)).status, 404)
})

t.test('every class of replies has a cause and a step for the sender', (t) => {
  for (const name of Object.keys(classes)) {
    const { why, todo } = findCause({ status: 'bounced', reply_class: name }) ?? { why: '', todo: '' }
    t.match([why, todo], [/^[A-Z].*\.$/, /^[A-Z].*\.$/], name)
  }
  t.equal(findCause({ status: 'delivered', reply_class: null }), undefined)
  t.match(findCause({ status: 'bounced', reply_class: 'constructor' }), { why: /rejected the message/ })
  t.end()
})

t.test('an inbound route is added and removed, and what came by it is shown as text alone', async (t) => {
  const { org, developer, viewer } = await scene()
  const add = (by: typeof developer, address: string) => submit(url, '/app/inbound-routes/new', by, { address })
  t.match((await get(url, '/app/inbound-routes', viewer)).text, 'No inbound routes yet')
  t.equal((await add(viewer, 'help@in.localhost')).status, 403)
  t.match((await add(developer, 'abuse@in.localhost')).text, /id="address-fault">is reserved for this installation/)
  t.equal((await add(developer, 'help@in.localhost')).headers.get('location'), '/app/inbound-routes')
  const page = (await get(url, '/app/inbound-routes', developer)).text
  t.match(page, 'help@in.localhost')
  const id = /\/app\/received\?route_id=([0-9a-f-]{36})/.exec(page)?.[1] ?? ''
  const mail = newId()
  await db.query(sql.typeAlias('void')`
    insert into email.received (id, org_id, route_id, status, recipient, sender, remote_address, remote_network, helo, bytes,
      from_email, subject, text, reply, html)
    values (${mail}, ${org.id}, ${id}, 'told', 'help@in.localhost', 'a@b.example', '192.0.2.1', '192.0.2.0/24', 'x', 1,
      'a@b.example', '<b>Hi</b>', 'Yes <i>.\n> No', 'Yes <i>.', '<script>bad()</script>')`)
  t.match((await get(url, `/app/received?route_id=${id}&from=`, viewer)).text, `/app/received/${mail}`)
  const facts = await get(url, `/app/received/${mail}`, viewer)
  t.match(facts.text, 'Your role cannot read the content of messages.')
  t.notMatch(facts.text, 'Yes &lt;i&gt;.')
  t.equal((await get(url, `/app/received/${mail}/shown`, viewer)).status, 403)
  const shown = await get(url, `/app/received/${mail}`, developer)
  t.match(shown.text, 'Yes &lt;i&gt;.')
  t.notMatch(shown.text, 'bad()')
  const frame = await get(url, `/app/received/${mail}/shown`, developer)
  t.match(frame.headers.get('content-security-policy'), /img-src data:.*; sandbox /)
  t.equal((await get(url, `/app/received/${mail}`, (await scene()).viewer)).status, 404)
  t.equal((await get(url, '/app/received?from=odd', viewer)).status, 400)
  t.equal((await submit(url, '/app/inbound-routes/remove', viewer, { id })).status, 403)
  t.equal((await submit(url, '/app/inbound-routes/remove', developer, { id })).status, 303)
  t.notMatch((await get(url, '/app/inbound-routes', developer)).text, 'help@in.localhost')
})
