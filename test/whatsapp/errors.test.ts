import t from 'tap'
import { sql } from '#sql/db.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { send } from '#tasks/whatsapp/send.ts'
import { until } from '../support/until.ts'
import { accept, graphError, phoneNumberId } from './cloud-api-server.ts'
import { clientOf, whatsappStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await whatsappStack(t)
const { api, ask, say, read, hear, tell, db } = stack
// Messages from new people go to this organisation.
await db.transaction((tx) => receivers.assign(tx, phoneNumberId, stack.orgId))
await stack.startWorkers(clientOf(t, api.url, 2_500))

let numbers = 5_560_000
const person = async () => {
  const phone = `+372${numbers++}`
  await hear(phone)
  return phone
}
const template = { name: 'order_shipped', language: { code: 'en_US' } }

/** Meta's code and HTTP status, our status and code, whether a retry makes sense, and seconds to wait. */
const table: [number, number, number, string, boolean, number?][] = [
  ...[0, 190, 3, 10, 200, 299].map(
    (code) => [code, 401, 502, 'upstream_error', false] as [number, number, number, string, boolean],
  ),
  ...[100, 131008, 131009, 132012, 131051].map(
    (code) => [code, 400, 400, 'invalid_message', false] as [number, number, number, string, boolean],
  ),
  [131026, 400, 400, 'recipient_unreachable', false],
  [131047, 400, 400, 'outside_service_window', false],
  [131050, 400, 400, 'recipient_opted_out', false],
  [132000, 400, 400, 'template_parameters', false],
  [132001, 404, 400, 'template_not_found', false],
  [132005, 400, 400, 'template_text_too_long', false],
  [132006, 400, 400, 'template_policy', false],
  [132007, 400, 400, 'template_policy', false],
  [132015, 400, 400, 'template_paused', false],
  [132016, 400, 400, 'template_disabled', false],
  [130429, 429, 429, 'rate_limited', true, 5],
  [131056, 429, 429, 'rate_limited', true, 6],
  [131048, 429, 429, 'rate_limited', false, 3600],
  [4, 400, 429, 'rate_limited', true, 60],
  [80007, 400, 429, 'rate_limited', true, 60],
  ...[131031, 368, 131042, 133010].map(
    (code) => [code, 403, 502, 'upstream_error', false] as [number, number, number, string, boolean],
  ),
  ...[1, 2, 131000, 131016].map(
    (code) => [code, 500, 502, 'upstream_error', true] as [number, number, number, string, boolean],
  ),
]

t.test('each row of the error table comes to its answer, without a word of the upstream', async (t) => {
  const rows = new Map(table.map((row) => [`${numbers++}`, row]))
  api.always = (request, response) => {
    const [code, upstream] = rows.get(request.body.to.slice(3)) ?? [0, 500]
    graphError(code, upstream)(request, response)
  }
  const one = async ([number, [code, upstream, status, ours, retryable, seconds]]: [
    string,
    (typeof table)[number],
  ]) => {
    const reply = await ask('POST /v1/whatsapp/send-template', { body: { to: `+372${number}`, template } })
    const details = { provider: 'whatsapp', provider_code: code, upstream_status: upstream, retryable }
    t.match(reply, { status, body: { error: { code: ours, details } } }, `${code}: ${reply.text}`)
    t.equal(reply.headers.get('retry-after'), seconds === undefined ? null : String(seconds), `${code}`)
    t.notMatch(reply.text, /secret|fbtrace/i)
    const { body } = await read(reply.body.error.details.message_id)
    t.match(body, { status: 'failed', error: { code: ours, provider_code: code, retryable } })
    t.notMatch(JSON.stringify(body), /secret/)
  }
  await Promise.all([...rows].map(one))
  api.always = undefined
  t.equal(api.sent().length, table.length, 'none is tried again by itself')
})

t.test('what Meta chose not to deliver is answered as failed, not to be sent again', async (t) => {
  for (const code of [131049, 130472]) {
    api.next = [graphError(code)]
    const reply = await ask('POST /v1/whatsapp/send-template', { body: { to: await person(), template } })
    t.match(reply, { status: 200, body: { status: 'failed', error: { code: 'not_delivered', retryable: false } } })
  }
})

t.test('the Retry-After of the answer counts', async (t) => {
  api.next = [graphError(130429, 429, { 'retry-after': '17' })]
  t.equal((await say(await person())).headers.get('retry-after'), '17')
})

t.test('other failures: gateways, silence, nonsense, unknown codes', async (t) => {
  const cases: [string, (typeof api.next)[number], object][] = [
    ['gateway', (_, r) => void r.writeHead(502).end('<html>'), { upstream_status: 502, retryable: true }],
    ['silence', () => {}, { upstream_status: null, retryable: true }],
    ['half an answer', (_, r) => void r.writeHead(200, { 'content-length': '99' }).write('{'), { retryable: true }],
    ['no message', (_, r) => void r.writeHead(200).end('{"messages":[]}'), { upstream_status: 200, retryable: true }],
    ['unknown code', graphError(139999), { provider_code: 139999, retryable: false }],
    ['plain 400', (_, r) => void r.writeHead(400).end('no'), { upstream_status: 400, retryable: false }],
    ['plain 401', (_, r) => void r.writeHead(401).end('{"error":"no"}'), { upstream_status: 401, retryable: false }],
    ['redirect', (_, r) => void r.writeHead(302, { location: '/x' }).end(), { upstream_status: 302, retryable: true }],
  ]
  const people = new Map<string, (typeof cases)[number]>()
  for (const one of cases) people.set(await person(), one)
  const before = api.sent().length
  api.always = (request, response) => people.get(`+${request.body.to}`)?.[1](request, response)
  const told = async ([to, [name, , details]]: [string, (typeof cases)[number]]) => {
    const reply = await say(to)
    t.match(reply, { status: 502, body: { error: { code: 'upstream_error', details } } }, `${name}: ${reply.text}`)
  }
  await Promise.all([...people].map(told))
  t.equal(api.sent().length, before + cases.length, 'each is asked once')
  api.always = undefined
  api.next = [(_, response) => void response.writeHead(429).end()]
  t.match(await say(await person()), { status: 429, body: { error: { code: 'rate_limited' } } })
})

t.test(
  'the fallback template goes out when a refusal, known or not, may be of the window; not when it would fare no better',
  async (t) => {
    for (const code of [131047, 139999, 131051]) {
      const to = await person()
      api.next = [graphError(code), accept]
      const reply = await say(to, 'Hello', { fallback_template: template })
      t.match(reply, { status: 200, body: { type: 'template', fallback: true, status: 'accepted' } }, `${code}`)
      t.match(api.sent().at(-1)?.body, { type: 'template', template, biz_opaque_callback_data: reply.body.id })
      if (code === 131047) t.match(await say(to), { status: 400, body: { error: { code: 'outside_service_window' } } })
    }
    for (const code of [131026, 190, 130429, 131000]) {
      const before = api.sent().length
      api.next = [graphError(code)]
      const reply = await say(await person(), 'Hello', { fallback_template: template })
      t.not(reply.status, 200, `${code}`)
      t.equal(api.sent().length, before + 1)
    }
    api.next = [graphError(131047), graphError(132001)]
    const failed = await say(await person(), 'Hello', { fallback_template: template })
    t.match(failed, { status: 400, body: { error: { code: 'template_not_found' } } })
  },
)

t.test('a failure that comes by webhook fails the message, and sends its fallback template once', async (t) => {
  const to = await person()
  const { body: sent } = await say(to, 'Hello', { fallback_template: template })
  for (const _ of [1, 2]) await tell(sent.provider_message_id, 'failed', { code: 131047 })
  const { body } = await read(sent.id)
  t.match(body, { status: 'failed', error: { code: 'outside_service_window', provider_code: 131047 } })
  t.notMatch(JSON.stringify(body), /secret/)
  const listed = await ask(`GET /v1/whatsapp/messages?phone=${encodeURIComponent(to)}&direction=outbound`)
  t.match(listed.body.data[0], { type: 'template', fallback_of: sent.id })
  t.equal(listed.body.data.length, 2)
  const other = await say(await person())
  await tell(other.body.provider_message_id, 'failed', { code: 131026 })
  t.match((await read(other.body.id)).body, { status: 'failed', error: { code: 'recipient_unreachable' } })
})

t.test('a message that nobody waits for is tried again when it is refused for its rate', async (t) => {
  const to = await person()
  await db.query(sql.typeAlias('void')`
    update whatsapp.conversations set paced_until = now() + interval '90 seconds' where wa_id = ${to.slice(1)}`)
  const { body } = await say(to)
  t.equal(body.status, 'queued')
  const before = api.sent().length
  api.next = [graphError(131056, 429, { 'retry-after': '1' }), accept]
  await enqueue(db, send, { messageId: body.id })
  await until(async () => (await read(body.id)).body.status === 'accepted')
  t.equal(api.sent().length, before + 2)
})
