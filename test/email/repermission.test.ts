import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { addContacts, type Sender, sending } from './sending.ts'

const { db, ingress, sender } = await sending(t)
const link = /https?:\/\/[^\s"<]+(\/send\/v1\/confirm\/[\w.-]+)/
const asking = { stream: 'repermission', to: 'c1@rcpt.example', subject: 'Shall we write to you?' }
const html = '<a href="{{ confirm_url }}">Yes</a>'
const text = 'Yes: {{confirm_url}}'
const parts = (id: string) =>
  db.one(sql.type(z.object({ html: z.string().nullable(), text: z.string().nullable() }))`
    select c.html, c.text from email.messages as m join email.contents as c on c.id = m.content_id where m.id = ${id}`)
const history = async (own: Sender, email: string) =>
  ((await own.ask(`GET /send/v1/contacts/${email}`)).body.history as { kind: string }[]).map(({ kind }) => kind)

async function withContacts(count: number): Promise<Sender> {
  const own = await sender()
  await addContacts(db, own.orgId, 'unconfirmed', count)
  return own
}

t.test('what asks to confirm has the link in every part, and the link confirms', async (t) => {
  const own = await withContacts(1)
  t.same(fieldsOf(await own.send({ ...asking, text: 'Buy now!' })), ['body.text'])
  t.same(fieldsOf(await own.send({ ...asking, text, html: '<b>Buy now!</b>' })), ['body.html'])
  t.same(fieldsOf(await own.send({ ...asking, text: undefined, html: '<b>{{confirm}}</b>' })), ['body.html'])
  const { status, body } = await own.send({ ...asking, text, html })
  t.equal(status, 202)
  const said = await parts(body.id)
  const [inText, inHtml] = [said.text, said.html].map((part) => link.exec(part ?? '')?.[1])
  t.ok(inText)
  t.equal(inHtml, inText)
  t.equal((await fetch(`${ingress.url}${inText}`, { method: 'POST' })).status, 200)
  t.match((await own.ask('GET /send/v1/contacts/c1@rcpt.example')).body, { status: 'confirmed' })
  t.same(await history(own, 'c1@rcpt.example'), ['asked', 'confirmed'])
})

t.test('the link cannot make a part fill the memory', async (t) => {
  const own = await withContacts(1)
  const long = '{{confirm_url}}'.repeat(69_000)
  t.same(fieldsOf(await own.send({ ...asking, text, html: long })), ['body.html'])
  t.same(fieldsOf(await own.send({ ...asking, text: long, html: long })), ['body.html', 'body.text'])
})

t.test('a template is filled in with the link, which is not the caller’s to say', async (t) => {
  const own = await withContacts(1)
  const create = async (body: object) =>
    (await own.ask('POST /send/v1/templates', { body: { name: 'Ask', subject: 'Hello {{name}}', ...body } })).body.id
  const [whole, half] = [await create({ html, text }), await create({ html: '<p>{{name}}</p>' })]
  const use = (template_id: string, variables: object) =>
    own.send({ ...asking, subject: undefined, text: undefined, template_id, variables })
  t.same(fieldsOf(await use(half, { name: 'Ann' })), ['body.template_id'])
  t.same(fieldsOf(await use(whole, { name: 'Ann', confirm_url: 'https://elsewhere.example' })), [
    'body.variables.confirm_url',
  ])
  const { body } = await use(whole, { name: 'Ann' })
  const said = await parts(body.id)
  t.match([said.html, said.text], [link, link])
})

t.test('nobody is asked twice in 30 days, however many ask at once', async (t) => {
  const own = await withContacts(3)
  const answers = await Promise.all(Array.from({ length: 11 }, () => own.send({ ...asking, text })))
  t.equal(answers.filter(({ status }) => status === 202).length, 1)
  const refused = answers.filter(({ status, body }) => status === 403 && body.error.code === 'contact_asked')
  t.equal(refused.length, 10)
  t.match(refused[0]?.body.error.details, { again_at: /Z$/ })
  t.same(await history(own, 'c1@rcpt.example'), ['asked'])
  t.match((await own.ask('POST /send/v1/contacts/reconfirm')).body, { contacts: 2 }, 'a round counts it as well')
  await db.query(sql.typeAlias('void')`
    update email.contacts set asked_at = now() - interval '31 days' where org_id = ${own.orgId}`)
  t.equal((await own.send({ ...asking, text })).status, 202)
})

t.test('who is removed and added again is not asked sooner for it, until that is forgotten', async (t) => {
  const own = await withContacts(1)
  const contact = `/send/v1/contacts/${asking.to}`
  t.equal((await own.send({ ...asking, text })).status, 202)
  const { asked_at } = (await own.ask(`GET ${contact}`)).body
  const again = {
    import: () => own.ask('POST /send/v1/contacts/import', { body: { contacts: [{ email: asking.to }] } }),
    add: () => own.ask('POST /send/v1/contacts', { body: { email: asking.to } }),
  }
  for (const [how, add] of Object.entries(again)) {
    t.equal((await own.ask(`DELETE ${contact}`)).status, 200)
    t.ok((await add()).status < 300)
    t.match(await own.send({ ...asking, text }), { status: 403, body: { error: { code: 'contact_asked' } } }, how)
    t.match((await own.ask(`GET ${contact}`)).body, { asked_at })
  }
  t.equal((await own.ask(`DELETE ${contact}`)).status, 200)
  await again.import()
  t.match((await own.ask('POST /send/v1/contacts/reconfirm')).body, { contacts: 0 }, 'nor by a round')
  t.equal((await own.ask(`DELETE ${contact}`)).status, 200)
  await db.query(sql.typeAlias('void')`
    update email.past_asked set asked_at = now() - interval '31 days' where org_id = ${own.orgId}`)
  await pruneArea(db, 'email')
  t.equal(
    await db.oneFirst(sql.typeAlias('count')`select count(*) from email.past_asked where org_id = ${own.orgId}`),
    0,
  )
  await again.import()
  t.equal((await own.send({ ...asking, text })).status, 202)
})

t.test('what is not sent has not asked', async (t) => {
  const own = await withContacts(1)
  // The sandbox has contacts of its own.
  const body = { contacts: [{ email: asking.to }] }
  t.equal((await own.ask('POST /send/v1/contacts/import', { key: own.sandbox, body })).status, 200)
  t.equal((await own.send({ ...asking, text }, { key: own.sandbox })).status, 202)
  await db.query(sql.typeAlias('void')`
    insert into email.suppressions (id, org_id, email, reason) values (${newId()}, ${own.orgId}, ${asking.to}, 'manual')`)
  t.equal((await own.send({ ...asking, text })).body.status, 'suppressed')
  t.same(await history(own, asking.to), [])
})
