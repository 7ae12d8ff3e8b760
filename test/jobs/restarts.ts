import type { Test } from 'tap'
import { openPool, sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { startWorker } from '../support/fleet.ts'
import { ownCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, plain } from './work.ts'

/** Restarts Postgres several times while a worker runs, with a job after each restart. */
export async function outlivesRestarts(t: Test, rounds: number): Promise<void> {
  const postgres = await ownCluster(t)
  await migrateAll(postgres.url)
  const db = await openPool(postgres.url, 2)
  t.teardown(() => db.end())
  await installEffects(db)

  const worker = await startWorker(t, postgres.url)

  for (let round = 0; round < rounds; round++) {
    await postgres.restart(round % 2 === 0 ? 'fast' : 'immediate')
    const name = `after restart ${round}`
    await until(() => enqueue(db, plain, { name }), { timeout: 60_000 })
    const end = await until(async () => (await effects(db, name)).find(({ phase }) => phase === 'end'), {
      what: name,
      timeout: 60_000,
    })
    t.equal(end.pid, worker.process.pid, name)
  }
  t.equal((await db.query(sql.unsafe`select from jobs.crashes`)).rowCount, 0, 'and no job was blamed')
}
