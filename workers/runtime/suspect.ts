import type { Job } from 'graphile-worker'

/** Prefix of a released job’s last error if its worker died (jobs.release). */
const mark = 'worker lost'

/** True if a job’s worker died while it ran the job, and the job has not ended since. */
export const isSuspect = (job: Job): boolean => job.last_error?.startsWith(mark) ?? false

/** Returns the error of a suspect job that will be retried. The error keeps the mark. */
export const keepSuspectMark = (failure: Error): Error =>
  new Error(`${mark}; since then ${failure.message}`, { cause: failure })
