import { readdir } from 'node:fs/promises'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { task } from '#tasks/queue/task.ts'
import { type LateFleet, startLate } from '../../workers/late-pools.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { until } from '../support/until.ts'

const { url, db } = await testDatabase(t)
const short = task({ name: 'test/short', pool: 'core', payload: z.object({}), run: async () => {} })
const plan = (cron?: string): PoolPlan => ({
  pool: 'core',
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: [{ ...short, ...(cron && { cron }) }],
  tools: {} as never,
})
const settings = { lease: 60_000, sweep: 1_000, grace: 1_000 }

const sessions = () =>
  db.oneFirst(sql.typeAlias('count')`select count(*) from pg_stat_activity where datname = current_database()`)
const alive = () => db.oneFirst(sql.typeAlias('count')`select count(*) from jobs.workers where state = 'alive'`)
const threads = async () => (await readdir('/proc/self/task')).length

t.test('a fleet that fails midway leaves no thread, no session and no worker on record', async (t) => {
  const fails = async () => {
    await t.rejects(startFleet(url, [plan(), plan('no time at all')], settings, () => {}))
  }
  await fails()
  const [threadsBefore, sessionsBefore] = [await threads(), await sessions()]
  for (let i = 0; i < 3; i++) await fails()
  await until(async () => (await threads()) <= threadsBefore, { what: 'the threads are gone' })
  await until(async () => (await sessions()) <= sessionsBefore, { what: 'the sessions are gone' })
  t.equal(await alive(), 0)
})

t.test(
  'a late fleet that is lost before it has started fails that try alone; one that had started ends the process',
  async (t) => {
    const lost: string[] = []
    const off: Record<string, string> = { core: 'at first' }
    let tries = 0
    let tell = (_: string) => {}
    const late = startLate(['core'], off, {
      lose: (why) => lost.push(why),
      async start(_, onLost): Promise<LateFleet> {
        tell = onLost
        if (++tries > 1) return { fleet: { stop: async () => {} }, ends: new AsyncDisposableStack() }
        onLost('no session')
        throw new Error('no session')
      },
    })
    t.teardown(() => late.stop())
    await until(async () => /its jobs wait: .*no session/.test(off.core ?? ''), { what: 'the latest reason is kept' })
    t.strictSame(lost, [])
    await until(async () => off.core === undefined, { what: 'the pool works' })
    tell('its lease is over')
    t.strictSame(lost, ['its lease is over'])
  },
)
