import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as schedules from '#sql/work/schedules.ts'
import { inBatches } from '../queue/batches.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { fireSome } from './rules/schedules/fire.ts'

/** Schedules in one transaction. The calculation of 100 next runs takes about 15 ms. */
const atOnce = 100

/** Maximum number of different seconds for which a minute is divided. */
const mostTimes = 1_000

/** Creates the jobs of due schedules: each full minute, and at the other times at which schedules run. */
export const fireSchedules = task({
  name: 'work/fire-schedules',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, signal }) {
    await db.transaction(async (tx) => wakeAt(tx, await schedules.listNextTimes(tx, mostTimes)))
    await inBatches(signal, (limit) => fireSome(db, limit), atOnce)
  },
})

/** Milliseconds before a run in which the task adds its own job for it. */
const soonMs = 70_000

/** Makes a schedule run at its time, if this is before the next full minute has looked for it. */
export async function wakeForRun(tx: Db, next: Date | null): Promise<void> {
  if (next !== null && next.getTime() - Date.now() < soonMs) await wakeAt(tx, [next])
}

async function wakeAt(tx: Db, times: readonly Date[]): Promise<void> {
  const options = times.map((at) => ({ at, key: `work/fire-schedules ${at.toISOString()}` }))
  await enqueueMany(tx, fireSchedules, times.map(() => ({})), (i) => options[i] ?? {})
}
