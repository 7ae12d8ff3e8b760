import '../support/work-environment.ts'
import t from 'tap'
import { emittedTo } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { server, create, ended, orgId } = stack
await stack.startWorkers()

t.test('a job calls its URL once, signed, and keeps the response', async (t) => {
  server.answer = (_, res) => void res.writeHead(200).end('thanks')
  const made = await create('/first', { body: { a: 1 }, headers: { 'X-Own': 'secret value' }, group: 'g' })
  t.match(made, {
    status: 201,
    body: { status: 'waiting', headers: { 'x-own': '[masked]' }, body: { a: 1 }, group: 'g' },
  })
  const job = await ended(made.body.id)
  t.match(job, { attempt_count: 1, response_status: 200, error: null })
  t.match(job.attempts, [{ number: 1, response_status: 200, response_head: 'thanks', error: null }])
  const [request, ...more] = await server.has(1, '/first')
  t.same(more, [])
  t.match(request, {
    method: 'POST',
    body: '{"a":1}',
    headers: {
      'content-type': 'application/json',
      'x-own': 'secret value',
      'webhook-id': job.id,
      'millrace-job-id': job.id,
      'millrace-attempt': '1',
    },
  })
  t.same(
    emittedTo(orgId).map(({ type }) => type),
    ['job.completed'],
  )
})

t.test('a failed attempt is repeated by its schedule, and the last one fails the job', async (t) => {
  server.answer = (_, res) => void res.writeHead(503).end('busy')
  const made = await create('/retry', { retries: { schedule: [1, 0] }, method: 'PUT', body: 'text' })
  const job = await ended(made.body.id, 'failed')
  t.match(job, { attempt_count: 3, response_status: 503, error: 'The server returned 503.' })
  t.same(
    job.attempts.map(({ number }: { number: number }) => number),
    [1, 2, 3],
  )
  const requests = await server.has(3, '/retry')
  t.same(
    requests.map(({ headers }) => headers['millrace-attempt']),
    ['1', '2', '3'],
  )
  t.match(requests[0], { method: 'PUT', body: 'text', headers: { 'content-type': 'text/plain; charset=utf-8' } })
})

t.test('410 ends a job at once', async (t) => {
  server.answer = (_, res) => void res.writeHead(410).end()
  const job = await ended((await create('/gone')).body.id, 'failed')
  t.match(job, { attempt_count: 1, response_status: 410 })
})

t.test('jobs of a key run one after the other, in their order', async (t) => {
  let running = 0
  let most = 0
  server.answer = (_, res) => {
    most = Math.max(most, ++running)
    setTimeout(() => {
      running--
      res.writeHead(204).end()
    }, 20)
  }
  const ids: string[] = []
  for (let n = 0; n < 10; n++) ids.push((await create(`/key/${n}`, { concurrency: { key: 'one', limit: 1 } })).body.id)
  for (const id of ids) await ended(id)
  t.equal(most, 1)
  const paths = server.received.filter(({ path }) => path.startsWith('/key/')).map(({ path }) => path)
  t.same(
    paths,
    ids.map((_, n) => `/key/${n}`),
  )
})

t.test('cancelled jobs of a rate key do not delay later jobs', async (t) => {
  server.answer = (_, res) => void res.writeHead(204).end()
  const rate = { key: 'hourly', limit: 1, per: 'hour' }
  const ids: string[] = []
  for (let i = 0; i < 4; i++) ids.push((await create('/hourly', { rate })).body.id)
  const startOf = async (id: string) => Date.parse((await stack.ask(`GET /v1/jobs/${id}`)).body.run_at)
  await until(async () => (await startOf(ids[3] as string)) > Date.now() + 2.9 * 3_600_000)
  for (const id of ids.slice(1).reverse()) await stack.ask(`POST /v1/jobs/${id}/cancel`)
  const later = (await create('/hourly', { rate })).body.id
  const second = await until(async () => {
    const start = await startOf(later)
    return start > Date.now() + 60_000 && start
  })
  t.ok(second < Date.now() + 1.01 * 3_600_000, 'the next job has the second slot')
})

t.test('jobs of a rate key start at equal intervals', async (t) => {
  server.answer = (_, res) => void res.writeHead(204).end()
  const ids: string[] = []
  for (let n = 0; n < 11; n++)
    ids.push((await create(`/rate`, { rate: { key: 'r', limit: 20, per: 'second' } })).body.id)
  const starts: number[] = []
  for (const id of ids) starts.push(Date.parse((await ended(id)).run_at))
  const ms = Math.max(...starts) - Math.min(...starts)
  t.ok(ms >= 450, `11 jobs at 20 per second take ${ms} ms`)
})

t.test('a dedupe key returns the first job', async (t) => {
  const first = await create('/once', { dedupe_key: 'k' })
  const second = await create('/once', { dedupe_key: 'k' })
  t.equal(second.body.id, first.body.id)
  t.same([first.body.deduplicated, second.body.deduplicated], [false, true])
  await ended(first.body.id)
  t.equal((await server.has(1, '/once')).length, 1)
})

t.test('a waiting job is cancelled immediately, a running one is aborted', async (t) => {
  let isClosed = false
  server.answer = (_, res) =>
    void res.on('close', () => {
      isClosed = true
    })
  const waiting = await create('/later', { delay: 60 })
  t.match(await stack.ask(`POST /v1/jobs/${waiting.body.id}/cancel`), { status: 200, body: { status: 'cancelled' } })
  const running = await create('/hang')
  await server.has(1, '/hang')
  await stack.ask(`POST /v1/jobs/${running.body.id}/cancel`)
  await ended(running.body.id, 'cancelled')
  await until(() => isClosed, { what: 'the request is aborted' })
  t.equal(server.received.filter(({ path }) => path === '/later').length, 0)
})

t.test('a failed job is replayed', async (t) => {
  server.answer = (_, res) => void res.writeHead(410).end()
  const { id } = await ended((await create('/again')).body.id, 'failed')
  server.answer = (_, res) => void res.writeHead(204).end()
  t.match(await stack.ask(`POST /v1/jobs/${id}/replay`), { status: 200, body: { status: 'waiting' } })
  t.match(await ended(id), { attempt_count: 1, attempts: [{ response_status: 410 }, { response_status: 204 }] })
})

t.test('the group is sent in a header, percent-encoded', async (t) => {
  const group = 'Größe 1/2'
  await ended((await create('/grouped', { group })).body.id)
  const [request] = await server.has(1, '/grouped')
  t.equal(request?.headers['millrace-group'], 'Gr%C3%B6%C3%9Fe%201%2F2')
})
