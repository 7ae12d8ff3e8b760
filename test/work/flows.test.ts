import '../support/work-environment.ts'
import t from 'tap'
import { emittedTo } from '../support/emitted.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(240_000)
const stack = await workStack(t)
const { server, ask, orgId } = stack
await stack.startWorkers()

const job = (name: string, after: string[] = [], more: object = {}) => ({
  ...{ name, after, url: `${server.url}/${name}`, retries: { max_attempts: 1 } },
  ...more,
})

const create = (jobs: object[], more: object = {}) => ask('POST /v1/jobs/flows', { body: { jobs, ...more } })

/** Waits until a flow has ended. Returns it as the API shows it. */
const ended = (id: string) =>
  until(
    async () => {
      const { body } = await ask(`GET /v1/jobs/flows/${id}`)
      return body.state !== 'running' && body
    },
    { timeout: 30_000, what: `flow ${id} has ended` },
  )

const statuses = (flow: { jobs: { name: string; status: string }[] }) =>
  Object.fromEntries(flow.jobs.map(({ name, status }) => [name, status]))

const called = (name: string) => server.received.filter(({ path }) => path === `/${name}`)

t.afterEach(() => {
  server.answer = (_, res) => void res.writeHead(204).end()
  server.received.length = 0
})

t.test('jobs start when all jobs that they name have ended', async (t) => {
  server.answer = ({ path }, res) => void res.writeHead(200).end(JSON.stringify({ of: path }))
  const made = await create(
    [
      job('ship', ['pack', 'invoice'], { with_results: true, body: { order: 17 } }),
      job('charge'),
      job('pack', ['charge']),
      job('invoice', ['charge']),
    ],
    { name: 'order-17' },
  )
  t.equal(made.status, 201, JSON.stringify(made.body))
  t.match(made.body, { name: 'order-17', state: 'running', jobs_count: { total: 4, blocked: 3, open: 1 } })
  const flow = await ended(made.body.id)
  t.match(flow, { state: 'completed', jobs_count: { completed: 4, blocked: 0, open: 0 } })
  const at = (name: string) => called(name)[0]?.at as number
  t.same(server.received.length, 4, 'each job was called once')
  t.ok(at('charge') <= at('pack') && at('charge') <= at('invoice'))
  t.ok(at('ship') >= at('pack') && at('ship') >= at('invoice'))
  t.same(JSON.parse(called('ship')[0]?.body ?? ''), {
    order: 17,
    flow: {
      id: flow.id,
      job: 'ship',
      results: {
        pack: { state: 'completed', response_status: 200, result: { of: '/pack' } },
        invoice: { state: 'completed', response_status: 200, result: { of: '/invoice' } },
      },
    },
  })
  const event = emittedTo(orgId).find(({ type }) => type === 'job.flow.completed')
  t.match(event?.data, { id: flow.id, name: 'order-17', jobs: { completed: 4 }, failed_jobs: [] })
})

t.test('the jobs after a failed job are skipped, or run if they ask for it', async (t) => {
  server.answer = ({ path }, res) => void res.writeHead(path === '/bad' ? 410 : 204).end()
  const made = await create([
    job('bad'),
    job('next', ['bad']),
    job('last', ['next']),
    job('cleanup', ['last'], { on_failure: 'run', with_results: true }),
    job('other'),
  ])
  const flow = await ended(made.body.id)
  t.equal(flow.state, 'failed')
  t.same(statuses(flow), {
    bad: 'failed',
    next: 'skipped',
    last: 'skipped',
    cleanup: 'completed',
    other: 'completed',
  })
  t.match(JSON.parse(called('cleanup')[0]?.body ?? ''), { flow: { results: { last: { state: 'skipped' } } } })
  const skipped = await stack.read(flow.jobs[1].job_id)
  t.match(skipped.body, {
    status: 'skipped',
    error: /has failed/,
    attempt_count: 0,
    origin: { kind: 'flow', id: flow.id },
  })
  const event = emittedTo(orgId).find(({ type }) => type === 'job.flow.failed')
  t.match(event?.data, { jobs: { completed: 2, failed: 1, skipped: 2 }, failed_jobs: ['bad'] })

  server.answer = (_, res) => void res.writeHead(204).end()
  const replayed = await ask(`POST /v1/jobs/flows/${flow.id}/replay`)
  t.match(replayed, { status: 200, body: { state: 'running' } })
  const again = await ended(flow.id)
  t.equal(again.state, 'completed')
  t.equal(called('other').length, 1, 'a completed job does not run again')
  t.equal(called('cleanup').length, 1)
  t.equal(called('last').length, 1)
  t.match(await ask(`POST /v1/jobs/flows/${flow.id}/replay`), {
    status: 409,
    body: { error: { code: 'nothing_to_replay' } },
  })
})

t.test('the replay of one job continues its flow', async (t) => {
  server.answer = ({ path }, res) => void res.writeHead(path === '/first' ? 410 : 204).end()
  const made = await create([job('first'), job('second', ['first'])])
  const flow = await ended(made.body.id)
  server.answer = (_, res) => void res.writeHead(204).end()
  t.match(await ask(`POST /v1/jobs/${flow.jobs[0].job_id}/replay`), { status: 200 })
  await server.has(1, '/second')
  t.match(await ended(flow.id), { state: 'completed' })
})

t.test('a cancelled flow starts no further job', async (t) => {
  server.answer = (_, res) => void setTimeout(() => res.writeHead(204).end(), 20_000).unref()
  const made = await create([
    job('slow'),
    job('later', [], { delay: 3_600 }),
    job('after', ['slow'], { on_failure: 'run' }),
  ])
  await server.has(1, '/slow')
  const cancelled = await ask(`POST /v1/jobs/flows/${made.body.id}/cancel`)
  t.match(statuses(cancelled.body), { later: 'cancelled', after: 'cancelled' })
  const flow = await ended(made.body.id)
  t.match(flow, { state: 'cancelled', jobs_count: { cancelled: 3 } })
  t.same(called('after'), [])
  t.match(await ask(`POST /v1/jobs/flows/${flow.id}/cancel`), { status: 200, body: { state: 'cancelled' } })
})

t.test('a delay counts from the end of the jobs before', async (t) => {
  const made = await create([job('one'), job('two', ['one'], { delay: 1 })])
  await ended(made.body.id)
  const [one, two] = [called('one')[0]?.at ?? 0, called('two')[0]?.at ?? 0]
  t.ok(two - one >= 900, `${two - one} ms`)
})

t.test('a job whose 50 predecessors end together starts once', async (t) => {
  const wide = Array.from({ length: 50 }, (_, i) => job(`wide-${i}`))
  for (let round = 0; round < 3; round++) {
    server.received.length = 0
    const made = await create([
      ...wide,
      job(
        'join',
        wide.map(({ name }) => name),
      ),
    ])
    const flow = await ended(made.body.id)
    t.equal(flow.state, 'completed')
    t.equal(called('join').length, 1)
    t.equal(server.received.length, 51)
  }
})

t.test('flows of a list have the number of jobs in each state', async (t) => {
  const { body } = await ask('GET /v1/jobs/flows?limit=2&state=completed')
  t.equal(body.data.length, 2)
  t.match(body.data[0], { state: 'completed', jobs_count: { total: 51, completed: 51 } })
  t.match((await ask('GET /v1/jobs/flows?name=order-17')).body.data, [{ name: 'order-17' }])
})
