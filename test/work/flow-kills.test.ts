import '../support/work-environment.ts'
import t, { type Test } from 'tap'
import { sql } from '#sql/db.ts'
import { startProcess } from '../support/killed-process.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(580_000)
const stack = await workStack(t)
const { server, ask } = stack
const startWorker = () => startProcess(t, new URL('./worker-process.ts', import.meta.url), [stack.databaseUrl])

/** Time of a response in milliseconds, so that a killed worker has requests without one. */
const answerMs = 15

const [flowCount, scheduleCount] = [4, 10]

const wide = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6']

const graph: [name: string, after: string[]][] = [
  ['a', []],
  ...wide.map((name): [string, string[]] => [name, ['a']]),
  ['c', wide],
  ['d', ['c']],
  ['e', ['c']],
  ['f', ['d', 'e']],
]

const createFlow = (round: number, n: number) =>
  ask('POST /v1/jobs/flows', {
    body: { jobs: graph.map(([name, after]) => ({ name, after, url: `${server.url}/${round}/${n}/${name}` })) },
  })

const createSchedule = (round: number, n: number) =>
  ask('POST /v1/jobs/schedules', {
    body: { name: `${round} ${n}`, every: 3_600, job: { url: `${server.url}/${round}/schedule/${n}` } },
  })

const many = <T>(count: number, create: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => create(n)))

const jobsOf = async (id: string) => (await ask(`GET /v1/jobs?origin_id=${id}`)).body.data

/** Checks that each job was called, in the order of its flow, and twice only if it was in flight at the kill. */
function checkCalls(t: Test, round: number, killedAt: number): void {
  const byPath = Map.groupBy(server.received, ({ path }) => path)
  t.equal(byPath.size, flowCount * graph.length + scheduleCount, 'each job was called')
  for (const [path, requests] of byPath) {
    t.ok(requests.length <= 2, `${path}: ${requests.length} requests`)
    if (requests.length === 2) t.ok((requests[0]?.at ?? 0) > killedAt - 1_000, `${path} was in flight`)
  }
  const at = (n: number, name: string) => byPath.get(`/${round}/${n}/${name}`)?.[0]?.at ?? 0
  for (let n = 0; n < flowCount; n++)
    for (const [name, after] of graph)
      t.ok(
        after.every((before) => at(n, before) <= at(n, name)),
        `${name} came after the jobs that it names`,
      )
}

t.test('killed workers lose no job, and start none twice but those in flight', async (t) => {
  server.answer = (_, res) => void setTimeout(() => res.writeHead(204).end(), answerMs)
  let kill = await startWorker()
  for (let round = 0; round < (isWhole ? 20 : 2); round++) {
    const other = await startWorker()
    server.received.length = 0
    const schedules = await many(scheduleCount, (n) => createSchedule(round, n))
    const flows = await many(flowCount, (n) => createFlow(round, n))
    await stack.db.query(sql.typeAlias('void')`
      update work.schedules set next_run_at = now() + interval '30 ms' where last_run_at is null`)
    await until(() => server.received.length >= 5 + ((round * 7) % 30), { every: 1, timeout: 30_000 })
    const killedAt = Date.now()
    await kill()
    kill = other
    for (const { body } of flows) {
      const hasEnded = async () => (await ask(`GET /v1/jobs/flows/${body.id}`)).body.state === 'completed'
      await until(hasEnded, { timeout: 60_000, what: `flow ${body.id} completes` })
    }
    for (const { body } of schedules) {
      const hasRun = async () => (await jobsOf(body.id))[0]?.status === 'completed'
      await until(hasRun, { timeout: 60_000, what: `schedule ${body.id} runs` })
      t.equal((await jobsOf(body.id)).length, 1, 'a run creates one job')
    }
    checkCalls(t, round, killedAt)
  }
})
