import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import type { TestScope } from '../support/ingress.ts'
import { startProcess } from '../support/killed-process.ts'
import { until } from '../support/until.ts'
import type { WorkStack } from './stack.ts'

const slots = 3

/**
 * Kills worker processes while they call. Part of the jobs share a concurrency key. Checks that each job ends once, that
 * only requests under way were repeated, and that the limit of the key held.
 */
export async function killWorkers(
  t: TestScope & Pick<typeof import('tap').default, 'equal' | 'ok' | 'same'>,
  stack: WorkStack,
  rounds: number,
): Promise<void> {
  const { db, databaseUrl, orgId, server } = stack
  let [underWay, mostKeyed, keyed] = [0, 0, 0]
  server.answer = ({ path }, res) => {
    const isKeyed = path.startsWith('/keyed')
    underWay++
    if (isKeyed) mostKeyed = Math.max(mostKeyed, ++keyed)
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      underWay--
      if (isKeyed) keyed--
    }
    res.on('close', end)
    setTimeout(() => {
      end()
      res.writeHead(204).end()
    }, 40)
  }
  const worker = () => startProcess(t, new URL('./worker-process.ts', import.meta.url), [databaseUrl])
  const made: string[] = []
  let kills = 0
  for (let round = 0; round < rounds; round++) {
    const before = server.received.length
    const jobs = Array.from({ length: 120 }, (_, n) =>
      n % 4 === 0
        ? { url: `${server.url}/keyed/${round}/${n}`, concurrency: { key: 'kill', limit: slots } }
        : { url: `${server.url}/plain/${round}/${n}` },
    )
    made.push(...(await db.transaction((tx) => createJobs(tx, orgId, jobs))).map(({ id }) => id))
    const kill = await worker()
    await until(() => server.received.length > before + 10 + ((round * 7) % 60), { every: 2, timeout: 60_000 })
    await kill()
    kills++
    // These deaths have no cause in a job. After three of them, a job that ran each time would fail.
    await db.query(sql.typeAlias('void')`delete from jobs.crashes`)
  }
  await worker()
  const Count = z.object({ status: z.string(), count: z.number(), attempts: z.number() })
  const rows = await until(
    async () => {
      const all = await db.any(sql.type(Count)`
        select status, count(*)::int as count, sum(attempts)::int as attempts from work.jobs
        where org_id = ${orgId} group by status`)
      return all.every(({ status }) => status === 'completed') && all
    },
    { timeout: 120_000, what: 'every job has ended' },
  )
  t.same(rows, [{ status: 'completed', count: made.length, attempts: made.length }], 'each job ended with one attempt')
  const requests = Map.groupBy(server.received, ({ headers }) => headers['webhook-id'])
  t.equal(made.filter((id) => !requests.has(id)).length, 0, 'each job was called')
  const repeated = [...requests.values()].filter(({ length }) => length > 1)
  // A request whose response arrived, but was not recorded yet, is also under way.
  t.ok(repeated.length <= kills * 128, `${repeated.length} jobs were repeated after ${kills} kills`)
  t.ok(repeated.every(({ length }) => length <= kills + 1))
  t.ok(mostKeyed <= slots, `at most ${mostKeyed} of ${slots} jobs of the key ran at the same time`)
  t.equal(underWay, 0)
}
