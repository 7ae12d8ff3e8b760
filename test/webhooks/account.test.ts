import '../support/webhooks-environment.ts'
import t from 'tap'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { testReceiver } from './receiver.ts'
import { webhookStack } from './stack.ts'

const stack = await webhookStack(t, ['account'])
const { db } = stack
const receiver = await testReceiver(t)
await stack.startWorkers()
const url = `${receiver.url}/all`
const path = '/v1/account/webhooks'

/** An organisation, and what it asks. */
async function scene(scopes = ['account:webhooks', 'account:audit', 'email:send', 'email:manage']) {
  const { org, keys } = await testOrg(db, scopes)
  const ask = (request: string, body?: unknown) => stack.ask(request, { key: keys.main as string, body })
  return { orgId: org.id, ask, emit: stack.emitFor(org.id) }
}

const message = { id: 'm1', sandbox: false }

t.test('a webhook for all areas is told of the groups it asks for, and of no others', async (t) => {
  const { ask, emit } = await scene()
  const added = await ask(`POST ${path}`, { url: `${receiver.url}/groups`, types: ['email.*', 'voice.call.ended'] })
  t.match(added, { status: 201, body: { types: ['email.*', 'voice.call.ended'], area: null, status: 'enabled' } })
  await emit('email.bounced', message)
  await emit('video.asset.ready', { id: 'a1' })
  await emit('voice.call.ringing', { id: 'c1' })
  await emit('voice.call.ended', { id: 'c1' })
  const told = await receiver.has(2, '/groups')
  t.same(told.map(({ event }) => event.type).sort(), ['email.bounced', 'voice.call.ended'])
  const log = await ask(`GET ${path}/${added.body.id}/deliveries`)
  t.equal(log.body.data.length, 2)
})

t.test('the mode of a webhook keeps what sandbox keys did apart', async (t) => {
  const { ask, emit } = await scene()
  await ask(`POST ${path}`, { url: `${receiver.url}/live`, types: ['*'], mode: 'live' })
  await ask(`POST ${path}`, { url: `${receiver.url}/test`, types: ['*'], mode: 'test' })
  await emit('email.sent', { id: 'sandboxed', sandbox: true })
  await emit('email.sent', message)
  t.equal((await receiver.has(1, '/test'))[0]?.event.data.id, 'sandboxed')
  t.equal((await receiver.has(1, '/live'))[0]?.event.data.id, 'm1')
})

t.test('what happens while a webhook is paused is delivered when it is resumed', async (t) => {
  const { ask, emit } = await scene()
  const { id } = (await ask(`POST ${path}`, { url: `${receiver.url}/paused`, types: ['*'] })).body
  t.match((await ask(`POST ${path}/${id}/pause`)).body, { status: 'paused' })
  for (let n = 0; n < 5; n++) await emit('email.sent', { ...message, id: `p${n}` })
  await stack.idle()
  t.equal((await ask(`GET ${path}/${id}/deliveries?status=pending`)).body.data.length, 5)
  t.equal(receiver.received.filter((one) => one.path === '/paused').length, 0)
  t.match((await ask(`POST ${path}/${id}/resume`)).body, { status: 'enabled', paused_at: null })
  const told = await receiver.has(5, '/paused')
  t.same(told.map(({ event }) => event.data.id).sort(), ['p0', 'p1', 'p2', 'p3', 'p4'])
})

t.test('url, types and name are changed; what waits goes to the new URL', async (t) => {
  const { ask, emit } = await scene()
  const { id } = (await ask(`POST ${path}`, { url: `${receiver.url}/before`, types: ['push.*'] })).body
  for (let n = 0; n < 2; n++) t.equal((await ask(`POST ${path}/${id}/pause`)).status, 200)
  await emit('push.opened', { message_id: 'm1' })
  const change = { url: `${receiver.url}/after`, types: ['email.sent', 'email.sent'], name: 'Shop' }
  const changed = await ask(`PATCH ${path}/${id}`, change)
  t.match(changed, { status: 200, body: { url: change.url, types: ['email.sent'], name: 'Shop', status: 'paused' } })
  t.match((await ask(`GET ${path}/${id}`)).body, { types: ['email.sent'], name: 'Shop' })
  await emit('push.opened', { message_id: 'm2' })
  await ask(`POST ${path}/${id}/resume`)
  await emit('email.sent', message)
  t.same((await receiver.has(2, '/after')).map(({ event }) => event.type).sort(), ['email.sent', 'push.opened'])
  const acts = (await ask('GET /v1/account/audit')).body.data
  t.same(
    acts.map(({ action }: { action: string }) => action),
    ['webhook.resumed', 'webhook.changed', 'webhook.paused', 'webhook.created'],
  )
  t.notMatch(JSON.stringify(acts), /\/after|\/before|whsec_/)
})

t.test('endpoints of an area and those of all are told of one event, and of a disabled one', async (t) => {
  const { ask, emit } = await scene()
  const all = (await ask(`POST ${path}`, { url: `${receiver.url}/kind-all`, types: ['email.*'] })).body
  const own = (await ask('POST /send/v1/webhooks', { url: `${receiver.url}/kind-area`, events: ['sent'] })).body
  await emit('email.sent', message)
  const [one] = await receiver.has(1, '/kind-all')
  const [other] = await receiver.has(1, '/kind-area')
  t.equal(one?.headers['webhook-id'], other?.headers['webhook-id'], 'it is one event')
  t.same(
    (await ask('GET /send/v1/webhooks')).body.data.map(({ id }: { id: string }) => id),
    [own.id],
    'the area sees its own alone',
  )
  t.same(
    (await ask(`GET ${path}`)).body.data.map(({ id, area }: { id: string; area: string }) => [id, area]),
    [
      [own.id, 'email'],
      [all.id, null],
    ],
  )
  t.equal((await ask(`DELETE /send/v1/webhooks/${all.id}`)).status, 404)
  t.same(fieldsOf(await ask(`PATCH ${path}/${own.id}`, { types: ['email.sent', 'push.*'] })), ['body.types.1'])
  receiver.answer = (_, res, { path }) => void res.writeHead(path === '/kind-gone' ? 410 : 204).end()
  await ask(`POST ${path}`, { url: `${receiver.url}/kind-gone`, types: ['email.sent'] })
  await emit('email.sent', message)
  for (const name of ['/kind-all', '/kind-area']) {
    const told = await receiver.has(3, name)
    t.equal(told.filter(({ event }) => event.type === 'webhooks.endpoint.disabled').length, 1, name)
  }
})

t.test('a sample of any type is sent, and is no event', async (t) => {
  const { ask } = await scene()
  const { id } = (await ask(`POST ${path}`, { url: `${receiver.url}/sample`, types: ['email.sent'] })).body
  t.match((await ask(`POST ${path}/${id}/test`, { type: 'voice.call.ended' })).body, { delivered: true })
  t.match((await ask(`POST ${path}/${id}/test`)).body, { delivered: true })
  const told = await receiver.has(2, '/sample')
  t.match(told[0]?.event, { type: 'voice.call.ended', data: { status: 'completed' } })
  t.match(told[1]?.event, { type: 'webhooks.test', data: { endpoint_id: id, area: null } })
  t.same((await ask('GET /v1/account/events')).body.data, [])
  t.same(fieldsOf(await ask(`POST ${path}/${id}/test`, { type: 'email.seen' })), ['body.type'])
})

t.test('events are kept on demand, and told to a webhook that comes later', async (t) => {
  const { ask, emit } = await scene()
  const settings = '/v1/account/events/settings'
  await emit('email.sent', { ...message, id: 'forgotten' })
  t.same((await ask(`GET ${settings}`)).body, { keep_events: false })
  t.same((await ask(`PUT ${settings}`, { keep_events: true })).body, { keep_events: true })
  await emit('email.sent', { ...message, id: 'kept' })
  await emit('bots.answer.failed', { code: 'upstream_error' })
  const listed = await ask('GET /v1/account/events?limit=1')
  t.match(listed.body.data, [{ type: 'bots.answer.failed', data: { code: 'upstream_error' } }])
  const rest = await ask(`GET /v1/account/events?cursor=${listed.body.next_cursor}`)
  t.match(rest.body.data, [{ type: 'email.sent', data: { id: 'kept' } }])
  t.equal(rest.body.data.length, 1)
  t.equal((await ask('GET /v1/account/events?type=email.sent')).body.data.length, 1)
  const { id } = (await ask(`POST ${path}`, { url: `${receiver.url}/late`, types: ['email.*'] })).body
  const missed = { since: '2026-01-01T00:00:00Z', status: 'missed' }
  t.same((await ask(`POST ${path}/${id}/replay`, missed)).body, { replayed: 1, next_since: null })
  const [told] = await receiver.has(1, '/late')
  t.match(told, { event: { data: { id: 'kept' } }, headers: { 'webhook-id': rest.body.data[0].id } })
  t.same((await ask(`POST ${path}/${id}/replay`, missed)).body, { replayed: 0, next_since: null }, 'once')
  await stack.idle()
  const [delivery] = (await ask(`GET ${path}/${id}/deliveries`)).body.data
  t.match(await ask(`POST ${path}/${id}/deliveries/${delivery.id}/replay`), { status: 200 })
  await receiver.has(2, '/late')
  await stack.idle()
  t.equal((await ask(`POST ${path}/${id}/replay`, { ...missed, status: 'all' })).body.replayed, 1)
  await receiver.has(3, '/late')
  await ask(`PUT ${settings}`, { keep_events: false })
  await emit('push.opened', { id: 'unseen' })
  t.equal((await ask('GET /v1/account/events')).body.data.length, 2)
})

t.test('a key with any lock is refused, here and in an area', async (t) => {
  const locks = [{ from_domains: ['example.com'] }, { tenant_id: 'acme' }, { site_id: stack.orgId }]
  for (const lock of locks) {
    const scopes = ['account:webhooks', 'email:manage']
    const { keys } = await testOrg(db, [], { keys: { main: { prefix: 'bt_live_', scopes, locks: lock } } })
    const key = keys.main as string
    const name = String(Object.keys(lock)[0])
    t.equal((await stack.ask(`GET ${path}`, { key })).status, 403, name)
    t.equal((await stack.ask(`POST ${path}`, { key, body: { url, types: ['*'] } })).status, 403, name)
    t.equal((await stack.ask('GET /v1/account/events', { key })).status, 403, name)
    const events = { url, events: ['*'] }
    t.equal((await stack.ask('POST /send/v1/webhooks', { key, body: events })).status, 403, name)
    t.equal((await stack.ask('GET /send/v1/webhooks', { key })).status, 403, name)
  }
})

t.test('another organisation’s webhooks are not there', async (t) => {
  const { ask, emit } = await scene()
  const { id } = (await ask(`POST ${path}`, { url, types: ['*'] })).body
  await emit('email.sent', message)
  await stack.idle()
  const [delivery] = (await ask(`GET ${path}/${id}/deliveries`)).body.data
  const other = await scene()
  const operations: [string, unknown?][] = [
    [`GET ${path}/${id}`],
    [`PATCH ${path}/${id}`, { name: 'mine' }],
    [`DELETE ${path}/${id}`],
    [`POST ${path}/${id}/pause`],
    [`POST ${path}/${id}/resume`],
    [`POST ${path}/${id}/test`, {}],
    [`POST ${path}/${id}/rotate-secret`, {}],
    [`GET ${path}/${id}/deliveries`],
    [`POST ${path}/${id}/deliveries/${delivery.id}/replay`],
    [`POST ${path}/${id}/replay`, { since: '2026-01-01T00:00:00Z', status: 'missed' }],
  ]
  for (const [request, body] of operations) {
    t.equal((await other.ask(request, body)).status, 404, request)
    t.equal((await other.ask(request.replace(id, 'no-id'), body)).status, 404, request)
  }
  t.same((await other.ask(`GET ${path}`)).body.data, [])
  t.same((await other.ask('GET /v1/account/events')).body.data, [])
  t.match((await ask(`GET ${path}/${id}`)).body, { name: null, status: 'enabled' })
  const without = await scene(['email:manage', 'account:read'])
  t.equal((await without.ask(`GET ${path}`)).status, 403)
})

t.test('what is wrong is named, each field; an organisation has fifty at most', async (t) => {
  const { ask } = await scene()
  const faulty: [unknown, string[]][] = [
    [{}, ['body.types', 'body.url']],
    [{ url: 'http://10.0.0.1', types: [] }, ['body.types', 'body.url']],
    [{ url, types: ['email'] }, ['body.types.0']],
    [
      { url, types: ['*', 'e*', 'email.', 'mail.*', '.*'] },
      ['body.types.1', 'body.types.2', 'body.types.3', 'body.types.4'],
    ],
    [{ url, types: ['*'], name: ' ', mode: 'dev', area: 'email' }, ['body.area', 'body.mode', 'body.name']],
  ]
  for (const [body, fields] of faulty) t.same(fieldsOf(await ask(`POST ${path}`, body)), fields)
  const made = await Promise.all(Array.from({ length: 52 }, () => ask(`POST ${path}`, { url, types: ['*'] })))
  const refused = made.filter(({ status }) => status === 409)
  t.equal(refused.length, 2)
  t.match(refused[0]?.body.error, { code: 'webhook_limit', details: { max: 50 } })
  t.equal((await ask('POST /send/v1/webhooks', { url, events: ['*'] })).status, 201, 'areas are counted apart')
  const id = made.find(({ status }) => status === 201)?.body.id
  const first = await ask(`POST ${path}/${id}/rotate-secret`, { keep_hours: 1 })
  t.match(first.body, { secret: /^whsec_/, previous_secret_until: String })
  t.match(await ask(`DELETE ${path}/${id}`), { status: 200, body: { deleted: true } })
  t.equal((await ask(`GET ${path}/${id}`)).status, 404)
})
