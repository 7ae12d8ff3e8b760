import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { onceAMinute } from '#lib/once-a-minute.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as workers from '#sql/jobs/workers.ts'
import { noteLoss } from './gauges.ts'

/** Milliseconds after which a second sweep believes what the first one saw. */
const believedMs = 300

/** Sweeps, and once more where the first sweep only suspected somebody. */
export async function sweepAtStart(db: DatabasePool): Promise<void> {
  await sweep(db)
  if (!(await workers.isAnyMissed(db))) return
  await pause(believedMs)
  await sweep(db)
}

/** Has the jobs of lost workers wait again. */
export async function sweep(db: DatabasePool): Promise<void> {
  for (let loss = await workers.sweep(db); loss; loss = await workers.sweep(db)) {
    const { pool_name: pool, lost_worker: worker, released, reason } = loss
    log.warn({ pool, worker, released, reason }, 'jobs of a lost worker wait again')
    noteLoss(loss)
  }
}

/** What a failed sweep is told by: while they fail, nobody takes over what lost workers held. */
export const sweepFailed = onceAMinute((error: unknown, times) =>
  log.error({ err: describe(error), times }, 'lost workers could not be looked for: their jobs wait'),
)
