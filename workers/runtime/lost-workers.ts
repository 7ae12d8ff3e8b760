import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { limitToOncePerMinute } from '#lib/once-a-minute.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as workers from '#sql/jobs/workers.ts'
import { countLoss } from './gauges.ts'

/** Delay in milliseconds after which a second sweep confirms the first one. */
const believedMs = 300

/** Sweeps once. Sweeps again if the first sweep found workers that may be lost. */
export async function sweepAtStart(db: DatabasePool): Promise<void> {
  await sweep(db)
  if (!(await workers.hasMissedWorker(db))) return
  await pause(believedMs)
  await sweep(db)
}

export async function sweep(db: DatabasePool): Promise<void> {
  for (let loss = await workers.sweep(db); loss; loss = await workers.sweep(db)) {
    const { pool_name: pool, lost_worker: worker, released, reason } = loss
    log.warn({ pool, worker, released, reason }, 'jobs of a lost worker returned to the queue')
    countLoss(loss)
  }
}

/** Logs a failed sweep. While sweeps fail, jobs of lost workers are not released. */
export const sweepFailed = limitToOncePerMinute((error: unknown, times) =>
  log.error({ err: describe(error), times }, 'the check for lost workers failed; their jobs are waiting'),
)
