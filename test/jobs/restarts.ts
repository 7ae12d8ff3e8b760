import type { Test } from 'tap'
import { openPool, sql } from '#sql/db.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { startWorker, type WorkerProcess } from '../support/fleet.ts'
import { ownCluster } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, plain } from './work.ts'

/** Restarts Postgres so often beside a worker that a supervisor starts again, and has a job done after each time. */
export async function outlivesRestarts(t: Test, rounds: number): Promise<void> {
  const postgres = await ownCluster(t)
  await migrateAll(postgres.url)
  const db = await openPool(postgres.url, 2)
  t.teardown(() => db.end())
  await installEffects(db)

  // What a supervisor does: start again whoever ended.
  let worker: WorkerProcess = await startWorker(t, postgres.url)
  let over = false
  const supervise = async () => {
    while (!over) {
      await worker.ended
      if (!over) worker = await startWorker(t, postgres.url).catch(() => worker)
    }
  }
  const supervising = supervise()

  for (let round = 0; round < rounds; round++) {
    await postgres.restart(round % 2 === 0 ? 'fast' : 'immediate')
    const name = `after restart ${round}`
    await until(() => enqueue(db, plain, { name }), { timeout: 60_000 })
    await until(async () => (await effects(db, name)).some(({ phase }) => phase === 'end'), {
      what: name,
      timeout: 60_000,
    })
    t.pass(name)
  }
  t.equal((await db.query(sql.unsafe`select from jobs.crashes`)).rowCount, 0, 'and no job was blamed')
  over = true
  worker.process.kill('SIGKILL')
  await supervising
}
