import '../support/work-environment.ts'
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { emittedTo } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { receiver } from './receiver.ts'
import { intakeStack, openssl } from './stack.ts'

t.setTimeout(240_000)
const { add, ask, post, list, settled, startWorkers, orgId } = await intakeStack(t)
const server = await receiver(t)
await startWorkers()

const secret = 'secret-of-the-source'
const hmac = { header: 'x-sig', event_id_path: 'id', event_type_path: 'type' }
const source = (path: string, more: object = {}, forward: object = {}) =>
  add({ name: path, provider: 'hmac', secret, hmac, forward: { url: server.url + path, ...forward }, ...more })
const signed = (body: string | Uint8Array) => ({ 'x-sig': openssl('sha256', secret, body) })
const send = (to: { url: string }, value: object | Uint8Array, headers: Record<string, string> = {}) => {
  const body = value instanceof Uint8Array ? value : JSON.stringify(value)
  return post(to, body, { ...signed(body), ...headers })
}

t.test('a request is forwarded with its exact bytes and headers, and with our signature', async (t) => {
  const to = await source('/exact', {}, { headers: { Authorization: 'Bearer own' }, timeout: 7, group: 'billing' })
  t.match(to.forward, { timeout: 7, group: 'billing', header_names: ['authorization'] })
  t.notMatch(JSON.stringify(to), 'Bearer own')
  const bytes = Buffer.concat([Buffer.from([0, 255, 254, 10, 13]), Buffer.alloc(300_000, 7)])
  const reply = await send(to, bytes, {
    'content-type': 'application/octet-stream',
    authorization: 'Bearer theirs',
    cookie: 'a=b',
    'webhook-id': 'theirs',
    'x-custom': 'kept',
    'millrace-source': 'forged',
  })
  t.equal(reply.status, 200)
  const [got] = await server.has(1, '/exact')
  t.ok(got?.body.equals(bytes), 'the exact bytes')
  const request = await settled(reply.body.id, ({ job_status }) => job_status === 'completed')
  t.match(got?.headers, {
    'content-type': 'application/octet-stream',
    authorization: 'Bearer own',
    'original-webhook-id': 'theirs',
    'x-custom': 'kept',
    'x-sig': signed(bytes)['x-sig'],
    'millrace-source': to.id,
    'millrace-request-id': request.id,
    'millrace-attempt': '1',
    'webhook-id': request.job_ids[0],
  })
  t.notOk(got?.headers.cookie)
  t.equal(request.body, null)
  t.equal(request.body_base64, bytes.toString('base64'))
  const { body: job } = await ask(`GET /v1/jobs/${request.job_ids[0]}`)
  t.match(job, { status: 'completed', group: 'billing', origin: { kind: 'source', id: request.id } })
})

t.test('the library of Standard Webhooks verifies the signature of a forwarded request', async (t) => {
  const to = await source('/verified')
  await send(to, { id: 'v' })
  const [got] = await server.has(1, '/verified')
  const { body: keys } = await ask('GET /v1/jobs/signing-secret')
  t.strictSame(new Webhook(keys.secret).verify(String(got?.body), got?.headers ?? {}), { id: 'v' })
})

t.test('filters by type and by fields decide what is forwarded; an event is emitted for each request', async (t) => {
  const to = await source('/filter', { event_types: ['invoice.*'], filter: { 'data.currency': ['eur', null] } })
  const cases = [
    [{ id: 'a', type: 'invoice.paid', data: { currency: 'eur' } }, 'forwarded'],
    [{ id: 'b', type: 'invoice.paid', data: { currency: 'usd' } }, 'filtered'],
    [{ id: 'c', type: 'charge.paid', data: { currency: 'eur' } }, 'filtered'],
    [{ id: 'd', type: 'invoice.void', data: { currency: null } }, 'forwarded'],
    [{ id: 'e', type: 'invoice.void' }, 'filtered'],
  ] as const
  for (const [body, status] of cases) {
    const { body: made } = await send(to, body)
    t.equal((await ask(`GET /v1/intake/requests/${made.id}`)).body.status, status, JSON.stringify(body))
  }
  await server.has(2, '/filter')
  const events = emittedTo(orgId).filter(({ data }) => (data as { source_id?: string }).source_id === to.id)
  t.strictSame(
    events.map(({ data }) => (data as { status: string }).status),
    cases.map(([, status]) => status),
  )
})

t.test('a failed job is retried, and its status is at the request; a replay is a new job', async (t) => {
  server.answer = ({ path }, response) => void response.writeHead(path === '/fails' ? 410 : 204).end()
  const to = await source('/fails')
  const { body } = await send(to, { id: 'f' })
  const failed = await settled(body.id, ({ job_status }) => job_status === 'failed')
  t.same(
    (await list(`&source_id=${to.id}&job_status=failed`)).map(({ id }) => id),
    [failed.id],
  )
  server.answer = (_, response) => void response.writeHead(204).end()
  const again = await ask(`POST /v1/intake/requests/${body.id}/replay`)
  t.equal(again.status, 200, again.text)
  const done = await settled(body.id, ({ job_status }) => job_status === 'completed')
  t.equal(done.job_ids.length, 2)
  t.equal(done.job_ids[0], again.body.job_id)
})

t.test('the status of a request follows a job that is replayed', async (t) => {
  server.answer = (_, response) => void response.writeHead(410).end()
  const to = await source('/again')
  const { body } = await send(to, { id: 'g' })
  const { job_ids } = await settled(body.id, ({ job_status }) => job_status === 'failed')
  const answered = Promise.withResolvers<void>()
  server.answer = async (_, response) => {
    await answered.promise
    response.writeHead(204).end()
  }
  t.equal((await ask(`POST /v1/jobs/${job_ids[0]}/replay`)).status, 200)
  t.match((await ask(`GET /v1/intake/requests/${body.id}`)).body, { job_status: 'pending' })
  answered.resolve()
  await settled(body.id, ({ job_status }) => job_status === 'completed')
})

t.test('a paused source stores requests, and forwards them in order when it resumes', async (t) => {
  const to = await source('/paused', {}, { concurrency: { key: 'paused', limit: 1 } })
  const paused = await ask(`POST /v1/intake/sources/${to.id}/pause`)
  t.equal(paused.body.status, 'paused')
  const ids = Array.from({ length: 250 }, (_, i) => `p${String(i).padStart(3, '0')}`)
  for (const id of ids.slice(0, 240)) t.equal((await send(to, { id })).status, 200)
  t.equal((await list(`&source_id=${to.id}&status=held`)).length, 100)
  t.equal(server.arrived.filter(({ path }) => path === '/paused').length, 0)
  t.equal((await ask(`POST /v1/intake/sources/${to.id}/resume`)).status, 200)
  for (const id of ids.slice(240)) t.equal((await send(to, { id })).status, 200)
  const all = await server.has(250, '/paused')
  t.strictSame(
    all.map(({ body }) => JSON.parse(body.toString()).id),
    ids,
  )
  t.equal((await ask(`GET /v1/intake/sources/${to.id}`)).body.status, 'active')
})

t.test('the requests of a period are forwarded again, without those with an invalid signature', async (t) => {
  const to = await source('/again')
  const first = await send(to, { id: 'r0' })
  const ids = Array.from({ length: 130 }, (_, i) => `s${i}`)
  const replies = []
  for (const id of ids) replies.push(await send(to, { id }))
  t.equal((await post(to, '{}')).status, 401)
  await server.has(131, '/again')
  const { received_at } = (await ask(`GET /v1/intake/requests/${replies[0]?.body.id}`)).body
  const replayed = await ask(`POST /v1/intake/sources/${to.id}/replay`, { body: { since: received_at } })
  t.equal(replayed.status, 200, replayed.text)
  await server.has(131 + 130, '/again')
  t.equal((await settled(first.body.id, () => true)).job_ids.length, 1)
})

t.test('a job whose request was deleted fails', async (t) => {
  server.answer = (_, response) => void response.writeHead(500).end()
  const to = await source('/gone', {}, { retries: { schedule: [1] } })
  const { body } = await send(to, { id: 'g' })
  await server.has(1, '/gone')
  const { job_ids } = (await ask(`GET /v1/intake/requests/${body.id}`)).body
  t.equal((await ask(`DELETE /v1/intake/requests/${body.id}`)).status, 200)
  server.answer = (_, response) => void response.writeHead(204).end()
  const job = await until(async () => {
    const { body } = await ask(`GET /v1/jobs/${job_ids[0]}`)
    return body.status === 'failed' && body
  })
  t.match(job.error, /deleted/)
})
