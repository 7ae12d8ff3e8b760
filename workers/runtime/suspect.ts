import type { Job } from 'graphile-worker'
import { describe } from '#lib/errors.ts'
import * as workers from '#sql/jobs/workers.ts'
import type { JobRun } from './job-run.ts'

/** Prefix of a released job’s last error if its worker died (jobs.release). */
const mark = 'worker lost'

/** True if a job’s worker died while it ran the job, and the job has not ended since. */
export const isSuspect = (job: Job): boolean => job.last_error?.startsWith(mark) ?? false

export async function startSuspect({ db, context, job }: JobRun): Promise<void> {
  await workers.startSuspect(db, context.pool, Number(job.id), context.lockedBy)
}

/**
 * Clears the crash of a suspect job if the job ended without killing its worker. Otherwise returns an error that keeps
 * the mark.
 */
export async function endSuspect(run: JobRun, failure: Error | undefined): Promise<Error | undefined> {
  const { db, context, job } = run
  if (failure && run.ending === 'retried')
    return new Error(`${mark}; since then ${failure.message}`, { cause: failure })
  if (run.cameToEnd) {
    await workers
      .clearSuspect(db, context.pool, Number(job.id))
      .catch((error) => run.log.debug({ err: describe(error) }, 'a crash could not be cleared; retrying'))
  }
  return failure
}
