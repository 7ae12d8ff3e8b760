import { randomUUID } from 'node:crypto'
import t from 'tap'
import { sql } from '#sql/db.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { send } from '#tasks/whatsapp/send.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { accept, graphError, hangUp, phoneNumberId } from './cloud-api-server.ts'
import { whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { api, ask, say, read, hear, tell, db } = stack
// Messages from new people go to this organisation.
await db.transaction((tx) => receivers.assign(tx, phoneNumberId, stack.orgId))
await stack.startWorkers()

/** Returns a new, possible phone number of Estonia. */
let numbers = 5_550_000
const person = async (hasWritten = true) => {
  const phone = `+372${numbers++}`
  if (hasWritten) await hear(phone)
  return phone
}
const template = (more: object = {}) => ({ name: 'order_shipped', language: { code: 'en' }, ...more })
const body = (...texts: string[]) => ({ type: 'body', parameters: texts.map((text) => ({ type: 'text', text })) })

t.test('a message goes to somebody who wrote, as the Cloud API wants it, and its way is told', async (t) => {
  const to = await person()
  const reply = await say(` ${to} `, 'Grüße 👋', { context: { message_id: 'wamid.abc' }, client_reference: 'order-1' })
  t.match(reply, {
    status: 200,
    body: { to, wa_id: to.slice(1), type: 'text', status: 'accepted', fallback: false, client_reference: 'order-1' },
  })
  t.equal(reply.body.window.open, true)
  const { id } = reply.body
  const [sent] = api.sent()
  t.equal(sent?.path, '/v23.0/106540352242922/messages')
  t.equal(sent?.authorization, 'Bearer EAAJB-test-token')
  t.same(sent?.body, {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: to.slice(1),
    type: 'text',
    text: { body: 'Grüße 👋' },
    context: { message_id: 'wamid.abc' },
    biz_opaque_callback_data: id,
  })
  t.equal(reply.body.provider_message_id, sent?.wamid)
  await tell(sent?.wamid ?? '', 'sent')
  await tell(sent?.wamid ?? '', 'delivered')
  const { body } = await read(id)
  t.match(body, { status: 'delivered', direction: 'outbound', content: { body: 'Grüße 👋' }, error: null })
  t.same(body.statuses.map(({ status }: { status: string }) => status).sort(), ['accepted', 'delivered', 'sent'])
})

t.test('every kind of content reaches the Cloud API under its name', async (t) => {
  const to = await person()
  const link = 'https://files.example.com/a.jpg'
  const contents = {
    image: { link, caption: 'A picture' },
    video: { id: '1166846181421424' },
    document: { link, filename: 'invoice.pdf' },
    audio: { link },
    location: { latitude: 59.437, longitude: 24.7536, name: 'Tallinn' },
    interactive: {
      type: 'button',
      body: { text: 'Ready?' },
      action: { buttons: [{ type: 'reply', reply: { id: 'yes', title: 'Yes' } }] },
    },
    reaction: { message_id: 'wamid.xyz', emoji: '👍' },
  }
  for (const [type, content] of Object.entries(contents)) {
    const reply = await ask('POST /v1/whatsapp/send', { body: { to, type, [type]: content } })
    t.match(reply, { status: 200, body: { type, status: 'accepted' } }, reply.text)
    t.same(api.sent().at(-1)?.body[type], content)
  }
})

t.test('to somebody who has not written for 24 hours nothing is sent, or the fallback template', async (t) => {
  const never = await person(false)
  const longAgo = await person(false)
  await hear(longAgo, { ago: 24 * 3600 + 5 })
  const before = api.received.length
  const refused = await say(never)
  t.match(refused, { status: 400, body: { error: { code: 'outside_service_window' } } })
  t.match(refused.body.error.details, { last_inbound_at: null, hint: 'POST /v1/whatsapp/send-template' })
  t.match((await say(longAgo)).body.error.details, { last_inbound_at: /^20.*Z$/ })
  t.equal(api.received.length, before, 'no request was made')
  const instead = await say(never, 'Hello', { fallback_template: template({ components: [body('1042')] }) })
  t.match(instead, { status: 200, body: { type: 'template', fallback: true, status: 'accepted', window: null } })
  t.match(api.sent().at(-1)?.body, {
    type: 'template',
    template: { name: 'order_shipped', components: [{ type: 'body' }] },
  })
  await hear(longAgo, { ago: 24 * 3600 - 60, id: 'wamid.newer' })
  t.match(await say(longAgo), { status: 200, body: { window: { open: true } } })
})

t.test('a template goes to anybody', async (t) => {
  const to = await person(false)
  const reply = await ask('POST /v1/whatsapp/send-template', { body: { to, template: template() } })
  t.match(reply, { status: 200, body: { to, type: 'template', status: 'accepted', fallback: false, window: null } })
  t.same(api.sent().at(-1)?.body.template, template())
})

t.test('a repeat with the same idempotency key sends nothing more, and is told how it stands', async (t) => {
  const to = await person()
  const headers = { 'idempotency-key': randomUUID() }
  const sendOne = (text: string) => ask('POST /v1/whatsapp/send', { body: { to, text }, headers })
  const before = api.sent().length
  const [first, second] = await Promise.all([sendOne('One'), sendOne('One')])
  t.equal(first.body.id, second.body.id)
  t.equal(api.sent().length, before + 1)
  t.equal((await sendOne('Two')).status, 409)
  await tell(first.body.provider_message_id, 'read')
  const third = await sendOne('One')
  t.match(third, { status: 200, body: { id: first.body.id, status: 'read' } })
  t.equal(third.headers.get('idempotent-replayed'), 'true')
})

t.test(
  'a refusal gives the idempotency key back; an unknown outcome keeps it, so that nothing goes twice',
  async (t) => {
    const to = await person()
    const headers = { 'idempotency-key': randomUUID() }
    const sendOnce = () => ask('POST /v1/whatsapp/send', { body: { to, text: 'Once' }, headers })
    api.next = [graphError(131000, 500)]
    t.equal((await sendOnce()).status, 502)
    const before = api.sent().length
    api.next = [(_, response) => void response.writeHead(200).end('<html>')]
    const unknown = await sendOnce()
    t.match(unknown, { status: 502, body: { error: { code: 'upstream_error', details: { retryable: true } } } })
    t.equal((await sendOnce()).status, 502, 'the same again')
    t.equal(api.sent().length, before + 1)
    const { message_id } = unknown.body.error.details
    t.equal((await read(message_id)).body.status, 'unknown')
    await tell(api.sent().at(-1)?.wamid ?? '', 'delivered', { ref: message_id })
    t.match(await sendOnce(), { status: 200, body: { id: message_id, status: 'delivered' } })
    t.equal((await read(message_id)).body.provider_message_id, api.sent().at(-1)?.wamid)
  },
)

t.test('a connection that ends without a byte is tried once more', async (t) => {
  const to = await person()
  const before = api.sent().length
  api.next = [hangUp]
  t.match(await say(to), { status: 200, body: { status: 'accepted' } })
  t.equal(api.sent().length, before + 2)
  api.next = [hangUp, hangUp, accept]
  t.match(await say(to), { status: 502, body: { error: { code: 'upstream_error' } } })
  t.equal(api.sent().length, before + 4)
  api.next = []
})

t.test(
  'messages to one recipient are paced: a burst goes, others wait for their turn, too many are refused',
  async (t) => {
    const to = await person()
    const replies = []
    for (let i = 0; i < 10; i++) replies.push(await say(to, `${i}`))
    t.same([...new Set(replies.map(({ body }) => body.status))], ['accepted'])
    await db.query(sql.typeAlias('void')`
    update whatsapp.conversations set paced_until = now() + interval '65 seconds' where wa_id = ${to.slice(1)}`)
    const waiting = await say(to)
    t.match(waiting, { status: 200, body: { status: 'queued' } })
    const ahead = Date.parse(waiting.body.send_at) - Date.parse(waiting.body.created_at)
    t.ok(ahead > 5_000 && ahead <= 11_000, `${ahead} ms`)
    await db.query(sql.typeAlias('void')`
    update whatsapp.conversations set paced_until = now() + interval '125 seconds' where wa_id = ${to.slice(1)}`)
    const refused = await say(to)
    t.match(refused, { status: 429, body: { error: { code: 'rate_limited' } } })
    t.ok(Number(refused.headers.get('retry-after')) >= 1)
  },
)

t.test('a message that waits is not sent after the person has opted out', async (t) => {
  const to = await person()
  await say(to)
  await db.query(sql.typeAlias('void')`
    update whatsapp.conversations set paced_until = now() + interval '65 seconds' where wa_id = ${to.slice(1)}`)
  const sent = api.sent().length
  const [first, second] = [(await say(to)).body, (await say(to)).body]
  t.match([first.status, second.status], ['queued', 'queued'])
  const consent = { consent: 'denied', consent_source: 'STOP' }
  t.equal((await ask(`PUT /v1/whatsapp/recipients/${encodeURIComponent(to)}`, { body: consent })).status, 200)
  await enqueue(db, send, { messageId: first.id })
  const failed = await until(async () => {
    const { body } = await read(first.id)
    return body.status === 'failed' && body
  })
  t.match(failed.error, { code: 'recipient_opted_out' })
  t.equal(api.sent().length, sent, 'the Cloud API got no request')
  await hear(to, { id: `wamid.again.${to}`, ago: -1 })
  await enqueue(db, send, { messageId: second.id })
  await until(async () => (await read(second.id)).body.status === 'accepted')
  t.equal(api.sent().length, sent + 1, 'a reply to a person who writes again is sent')
})

t.test('a worker that ended between request and answer sends no second time', async (t) => {
  const to = await person()
  const sent = api.sent().length
  const { body } = await say(to)
  await db.query(sql.typeAlias('void')`
    update whatsapp.messages set status = 'sending', provider_message_id = null where id = ${body.id}`)
  await enqueue(db, send, { messageId: body.id })
  await until(async () => (await read(body.id)).body.status === 'unknown')
  t.equal(api.sent().length, sent + 1)
})

t.test('messages are listed, of the own organisation alone', async (t) => {
  const to = await person()
  const { body: made } = await say(to)
  const listed = await ask(`GET /v1/whatsapp/messages?phone=${encodeURIComponent(to)}`)
  t.match(listed.body.data, [{ id: made.id, to, from: null, status: 'accepted' }])
  t.equal((await ask('GET /v1/whatsapp/messages?limit=2')).body.data.length, 2)
  t.equal((await ask('GET /v1/whatsapp/messages?status=failed&direction=inbound')).body.data.length, 0)
  const stranger = await testOrg(db, ['whatsapp:send'])
  t.same((await ask('GET /v1/whatsapp/messages', { key: stranger.keys.main })).body.data, [])
  const scopeless = await testOrg(db, ['geo:read'])
  t.equal((await ask('GET /v1/whatsapp/messages', { key: scopeless.keys.main })).status, 403)
})

t.test('bad input is a 400 that names the field, and nothing is sent', async (t) => {
  const before = api.received.length
  const to = '+3725550999'
  const cases: [object, string][] = [
    [{}, 'body.to'],
    [{ to }, 'body'],
    [{ to: '3725550999', text: 'a' }, 'body.to'],
    [{ to: '+372', text: 'a' }, 'body.to'],
    [{ to: '+0000000000', text: 'a' }, 'body.to'],
    [{ to: 'tel:+3725550999', text: 'a' }, 'body.to'],
    [{ to: '+37255509999999', text: 'a' }, 'body.to'],
    [{ to, text: '' }, 'body.text'],
    [{ to, text: ' \n' }, 'body.text'],
    [{ to, text: 'a'.repeat(4097) }, 'body.text'],
    [{ to, text: 'a', image: { id: '1' } }, 'body.image'],
    [{ to, type: 'image', text: 'a' }, 'body.image'],
    [{ to, type: 'fax', text: 'a' }, 'body.type'],
    [{ to, image: {} }, 'body.image'],
    [{ to, image: { link: 'https://a.example/b', id: '1' } }, 'body.image'],
    [{ to, image: { link: 'http://a.example/b' } }, 'body.image.link'],
    [{ to, image: { link: 'https://127.0.0.1/b' } }, 'body.image.link'],
    [{ to, image: { link: 'https://[::1]/b' } }, 'body.image.link'],
    [{ to, location: { latitude: 91, longitude: 0 } }, 'body.location.latitude'],
    [{ to, reaction: { message_id: 'a b', emoji: 'x' } }, 'body.reaction.message_id'],
    [
      { to, interactive: { type: 'list', body: { text: 'a' }, action: { button: 'a', sections: [] } } },
      'body.interactive.action.sections',
    ],
    [{ to, text: 'a', fallback_template: { name: 'A b' } }, 'body.fallback_template.language'],
    [{ to, text: 'a', strange: 1 }, 'body.strange'],
  ]
  for (const [given, field] of cases) {
    const reply = await ask('POST /v1/whatsapp/send', { body: given })
    t.equal(reply.status, 400, `${JSON.stringify(given).slice(0, 80)}: ${reply.text}`)
    if (reply.status === 400) t.ok(fieldsOf(reply).includes(field), `${field}: ${reply.text}`)
  }
  for (const text of ['', ' ', 'a\nb', 'a\tb', 'a     b']) {
    const reply = await ask('POST /v1/whatsapp/send-template', {
      body: { to, template: template({ components: [body(text)] }) },
    })
    t.same([reply.status, fieldsOf(reply)], [400, ['body.template.components.0.parameters.0.text']])
  }
  for (const code of ['en-US', 'EN', '']) {
    const reply = await ask('POST /v1/whatsapp/send-template', {
      body: { to, template: template({ language: { code } }) },
    })
    t.same([reply.status, fieldsOf(reply)], [400, ['body.template.language.code']])
  }
  t.equal(api.received.length, before)
})
