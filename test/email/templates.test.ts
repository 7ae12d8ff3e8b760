import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { fieldsOf } from '../support/ingress.ts'
import { type Sender, sending } from './sending.ts'

const { db, sender } = await sending(t)
const one = await sender()
const order = {
  name: 'Order',
  subject: 'Order {{ order.number }} for {{name}}',
  html: '<p title="{{name}}">Hello {{name}}: {{order.number}}, {{paid}}</p>',
  text: 'Hello {{name}}: {{order.number}}',
}
const create = async (own: Sender, body: object = order) => (await own.ask('POST /send/v1/templates', { body })).body
const use = (own: Sender, template_id: string, variables?: unknown, more = {}) =>
  own.send({ subject: undefined, text: undefined, template_id, ...(variables ? { variables } : {}), ...more })
const said = (id: string) =>
  db.one(sql.type(z.object({ subject: z.string(), html: z.string().nullable(), text: z.string().nullable() }))`
    select m.subject, c.html, c.text from email.messages as m join email.contents as c on c.id = m.content_id
    where m.id = ${id}`)

t.test('made, read, listed, changed and deleted, by its own organisation', async (t) => {
  const [own, other] = [await sender(), await sender()]
  const made = await own.ask('POST /send/v1/templates', { body: { ...order, text: undefined } })
  t.match([made.status, made.body], [201, { text: null, variables: ['order.number', 'name', 'paid'] }])
  const path = `/send/v1/templates/${made.body.id}`
  t.match((await own.ask(`GET ${path}`)).body, made.body)
  const [listed] = (await own.ask('GET /send/v1/templates')).body.data
  const { html: _, text: __, mjml: ___, test_data: ____, ...summary } = made.body
  t.same(listed, summary, 'a list has no texts, and the variables')
  const changed = await own.ask(`PATCH ${path}`, { body: { subject: 'Now {{a}}', text: 'and {{b}}' } })
  t.match(changed.body, { name: 'Order', subject: 'Now {{a}}', variables: ['a', 'name', 'order.number', 'paid', 'b'] })
  t.equal((await own.ask(`PATCH ${path}`, { body: { text: null } })).body.text, null)
  t.equal((await own.ask(`PATCH ${path}`, { body: {} })).status, 400)
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { body: { name: 'x' } } : {}
    t.equal((await other.ask(`${method} ${path}`, body)).status, 404)
  }
  t.same(fieldsOf(await use(other, made.body.id, {})), ['body.template_id'])
  t.match((await own.ask(`DELETE ${path}`)).body, { deleted: true })
  t.equal((await own.ask(`GET ${path}`)).status, 404)
  t.same(fieldsOf(await use(own, made.body.id)), ['body.template_id'])
})

t.test('a value is escaped by the part that it stands in', async (t) => {
  const { id } = await create(one)
  const name = `"><script>alert('1')</script>\r\nBcc: eve@evil.example & {{order.number}}`
  const { body } = await use(one, id, { name, order: { number: 1042, more: 'ignored' }, paid: true })
  t.same(await said(body.id), {
    subject: `Order 1042 for "><script>alert('1')</script> Bcc: eve@evil.example & {{order.number}}`,
    html:
      '<p title="&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;\r\nBcc: eve@evil.example &#38; {{order.number}}">' +
      'Hello &#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;\r\nBcc: eve@evil.example &#38; {{order.number}}: 1042, true</p>',
    text: `Hello ${name}: 1042`,
  })
})

t.test('each variable that is missing, unknown, or cannot be shown is named', async (t) => {
  const { id } = await create(one)
  const fields = async (variables: unknown) => fieldsOf(await use(one, id, variables))
  t.same(await fields(undefined), ['body.variables.name', 'body.variables.order.number', 'body.variables.paid'])
  const shown = { name: 'Ann', order: { number: 1 }, paid: true }
  t.same(await fields({ ...shown, nmae: 1, extra: 2 }), ['body.variables.extra', 'body.variables.nmae'])
  t.same(await fields({ ...shown, order: 'x', paid: null }), ['body.variables.order.number', 'body.variables.paid'])
  t.same(await fields({ ...shown, name: ['Ann'], paid: { a: 1 } }), ['body.variables.name', 'body.variables.paid'])
  t.same(await fields({ ...shown, name: 'a\u0007b' }), ['body.variables.name'])
  t.same(await fields('text'), ['body.variables'])
  const inherited = await create(one, { ...order, subject: '{{constructor}} {{a.length}} {{toString}}' })
  t.same(fieldsOf(await use(one, inherited.id, { ...shown, a: 'text' })), [
    ...['body.variables.a.length', 'body.variables.constructor', 'body.variables.toString'],
  ])
})

t.test('what is given beside a template takes the place of its part', async (t) => {
  const { id } = await create(one)
  const shown = { name: 'Ann', order: { number: 1 }, paid: true }
  const { body } = await use(one, id, shown, { subject: 'Mine {{name}}' })
  t.match(await said(body.id), { subject: 'Mine {{name}}', text: 'Hello Ann: 1' })
  t.same(fieldsOf(await one.send({ variables: {} })), ['body.variables'])
})

t.test('a template cannot be made to fill the memory', async (t) => {
  const bomb = { name: 'Bomb', subject: 'x', html: '{{a}}'.repeat(2_001) }
  const refused = await one.ask('POST /send/v1/templates', { body: bomb })
  t.match(refused.body.error.details, [{ field: 'body.html', issue: 'must have at most 2000 placeholders' }])
  const { id } = await create(one, { ...bomb, html: '{{a}}'.repeat(2_000) })
  const answer = await use(one, id, { a: 'x'.repeat(800_000) })
  t.match([answer.status, fieldsOf(answer)], [400, ['body.variables']])
  const subject = await create(one, { name: 'Long', subject: '{{a}}', html: 'x' })
  t.same(fieldsOf(await use(one, subject.id, { a: 'x'.repeat(999) })), ['body.variables'])
})

t.test('what is no placeholder is refused when the template is made', async (t) => {
  for (const stray of [
    '{{#if a}}',
    '{{{a}}}',
    '{{a',
    '{{a b}}',
    '{{1}}',
    '{{a.}}',
    '{{}}',
    '{{a|html}}',
    '{{__proto__.}}',
  ]) {
    const answer = await one.ask('POST /send/v1/templates', { body: { ...order, html: `<p>${stray}</p>` } })
    t.match([answer.status, fieldsOf(answer)], [400, ['body.html']], stray)
  }
  const many = Array.from({ length: 201 }, (_, n) => `{{v${n}}}`).join('')
  t.same(fieldsOf(await one.ask('POST /send/v1/templates', { body: { ...order, html: many } })), ['body.html'])
  t.equal((await one.ask('POST /send/v1/templates', { body: { ...order, html: '{"a":{{name}}} }}' } })).status, 201)
  const body = { name: '', subject: 'a\r\nBcc: b@c.example', html: 'a\u0000b', text: '{{' }
  const raw = JSON.stringify(body).replace('\\u0000', '\\u0001')
  const headers = { 'content-type': 'application/json' }
  t.same(fieldsOf(await one.ask('POST /send/v1/templates', { raw, headers })), [
    ...['body.html', 'body.name', 'body.subject', 'body.text'],
  ])
})

t.test('a fallback stands for what is not given; a contact’s fields are the recipient’s', async (t) => {
  const own = await sender()
  const ann = { email: 'ann@rcpt.example', name: 'Ann & Co', attributes: { city: 'Tallinn' } }
  await own.ask('POST /send/v1/contacts', { body: ann })
  const { id } = await create(own, {
    name: 'Person',
    subject: 'Hello {{contact.name|"there"}}',
    html: `<p>{{contact.name | 'friend'}} of {{contact.attributes.city|"nowhere"}}: {{code|"none"}} {{contact.email}}</p>`,
  })
  const { body } = await use(own, id)
  t.match(await said(body.id), {
    subject: 'Hello Ann & Co',
    html: '<p>Ann &#38; Co of Tallinn: none ann@rcpt.example</p>',
  })
  const other = await use(own, id, { code: 7 }, { to: 'bob@rcpt.example' })
  t.match(await said(other.body.id), { subject: 'Hello there', html: '<p>friend of nowhere: 7 bob@rcpt.example</p>' })
  const mine = await use(own, id, { contact: { name: 'Mine', email: 'x', attributes: {} } })
  t.match(await said(mine.body.id), { subject: 'Hello Mine' })
  const preview = (given: object) => own.ask(`POST /send/v1/templates/${id}/preview`, { body: given })
  t.match((await preview({ contact: 'ann@rcpt.example', variables: { code: 1 } })).body, { subject: 'Hello Ann & Co' })
  t.match((await preview({})).body, { subject: 'Hello there', text: null })
  t.same(fieldsOf(await preview({ contact: 'no@one.example' })), ['body.contact'])
  t.same(fieldsOf(await preview({ variables: { cod: 1 } })), ['body.variables.cod'])
})

t.test('{{unsubscribe_url}} is the recipient’s page in marketing, with a template and without', async (t) => {
  const own = await sender()
  await own.ask('POST /send/v1/contacts', { body: { email: 'ann@rcpt.example' } })
  const html = '<a href="{{ unsubscribe_url }}">leave</a>'
  const link = /^<a href="[^"]*\/send\/v1\/unsubscribe\/[\w.-]+">leave<\/a>$/
  const { body } = await own.send({ stream: 'subscribed', html, text: 'Leave: {{unsubscribe_url}}' })
  const plain = await said(body.id)
  t.match(plain.html, link)
  t.notMatch(plain.text, '{{')
  const { id } = await create(own, { name: 'a', subject: 'b', html })
  const made = await use(own, id, undefined, { stream: 'subscribed' })
  t.match((await said(made.body.id)).html, link)
  t.same(fieldsOf(await use(own, id)), ['body.variables.unsubscribe_url'], 'nobody subscribes to a receipt')
  const full = await own.send({ stream: 'subscribed', html: '{{unsubscribe_url}}'.repeat(50_000) })
  t.same(fieldsOf(full), ['body.html'])
})
