import '../support/work-environment.ts'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { startProcess } from '../support/killed-process.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { workStack } from './stack.ts'

t.setTimeout(580_000)
const stack = await workStack(t)
const { server, ask } = stack
const program = new URL('./kill-worker.ts', import.meta.url)
const startWorker = () => startProcess(t, program, [stack.databaseUrl])

/** Time of a response in milliseconds. A request that began earlier before a kill had been recorded. */
const answerMs = 15

const flowOf = (round: number, n: number) => {
  const job = (name: string, after: string[] = []) => ({ name, after, url: `${server.url}/${round}/${n}/${name}` })
  const wide = ['b1', 'b2', 'b3', 'b4', 'b5', 'b6']
  return {
    jobs: [
      job('a'),
      ...wide.map((name) => job(name, ['a'])),
      job('c', wide),
      job('d', ['c']),
      job('e', ['c']),
      job('f', ['d', 'e']),
    ],
  }
}

const order = [
  ['a', 'b1'],
  ['a', 'b6'],
  ['b1', 'c'],
  ['b6', 'c'],
  ['c', 'd'],
  ['d', 'f'],
  ['e', 'f'],
] as const

t.test('killed workers lose no job of a flow or schedule, and start none twice but those in flight', async (t) => {
  server.answer = (_, res) => void setTimeout(() => res.writeHead(204).end(), answerMs)
  let kill = await startWorker()
  for (let round = 0; round < (isWhole ? 20 : 2); round++) {
    const other = await startWorker()
    const flows = await Promise.all(
      Array.from({ length: 4 }, (_, n) => ask('POST /v1/jobs/flows', { body: flowOf(round, n) })),
    )
    const schedules = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ask('POST /v1/jobs/schedules', {
          body: {
            name: `${round} ${n}`,
            ...{ every: 3_600, job: { url: `${server.url}/${round}/schedule/${n}` } },
          },
        }),
      ),
    )
    await stack.db.query(sql.typeAlias('void')`
      update work.schedules set next_run_at = now() + interval '50 ms' where last_run_at is null`)
    await until(() => server.received.length >= 5 + ((round * 7) % 30), { every: 1 })
    const killedAt = Date.now()
    await kill()
    kill = other
    for (const { body } of flows)
      await until(async () => (await ask(`GET /v1/jobs/flows/${body.id}`)).body.state === 'completed', {
        timeout: 60_000,
        what: `flow ${body.id} completes`,
      })
    for (const { body } of schedules) {
      await until(async () => (await ask(`GET /v1/jobs?origin_id=${body.id}`)).body.data[0]?.status === 'completed', {
        timeout: 60_000,
        what: `schedule ${body.id} runs`,
      })
      const { data } = (await ask(`GET /v1/jobs?origin_id=${body.id}`)).body
      t.equal(data.length, 1, 'a run creates one job')
    }
    const byPath = Map.groupBy(server.received, ({ path }) => path)
    t.equal(byPath.size, 4 * 11 + 10, 'each job was called')
    for (const [path, requests] of byPath) {
      t.ok(requests.length <= 2, `${path}: ${requests.length} requests`)
      if (requests.length === 2) t.ok((requests[0]?.at ?? 0) > killedAt - 1_000, `${path} was in flight`)
    }
    const at = (n: number, name: string) => byPath.get(`/${round}/${n}/${name}`)?.[0]?.at ?? 0
    for (let n = 0; n < 4; n++)
      for (const [before, after] of order) t.ok(at(n, before) <= at(n, after), `${before} before ${after}`)
    server.received.length = 0
  }
})
