import type { Due } from '#sql/work/schedules.ts'
import { findLastRun, findNextRun } from './next-run.ts'

/** Lateness in milliseconds up to which a run is not missed. Runs that are less late create their jobs. */
export const graceMs = 5 * 60_000

export interface RunPlan {
  /** Time of the run for which a job is created. Null if it was missed and is skipped. */
  scheduledFor: Date | null
  /** Null if the schedule has no further run. */
  next: Date | null
}

/** Decides what a due schedule does. The next run can be due as well. */
export function planRun(schedule: Due): RunPlan {
  const { now, next_run_at: due, missed } = schedule
  if (now.getTime() - due.getTime() <= graceMs) return { scheduledFor: due, next: findNextRun(schedule, due) }
  if (missed === 'skip') return { scheduledFor: null, next: findNextRun(schedule, new Date(now.getTime() - graceMs)) }
  const last = findLastRun(schedule, due, now)
  return { scheduledFor: last, next: findNextRun(schedule, last) }
}
