import type { Job } from 'graphile-worker'

/** What a released job's last error says when its worker died over it (jobs.release). */
const mark = 'worker lost'

/** Whether a job's worker died while it ran the job, and the job has not ended since. */
export const isSuspect = (job: Job): boolean => job.last_error?.startsWith(mark) ?? false

/** The error of a suspect that is to be tried again: what it failed with must not hide that it is one. */
export const stillSuspect = (failure: Error): Error =>
  new Error(`${mark}; since then ${failure.message}`, { cause: failure })
