import { Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type DatabasePool, type Db, isRowFault } from '#sql/db.ts'
import * as rows from '#sql/work/schedules.ts'
import { createJobsOf } from '../create-jobs.ts'
import type { NewJob } from '../new-job.ts'
import { findNextRun } from './next-run.ts'
import { planRun, type RunPlan } from './plan-run.ts'
import { openJob } from './schedule-job.ts'

/** Schedules in one transaction. Their next runs take about 10 ms of calculation. */
const fireBatch = 50

/** Creates the jobs of due schedules. Returns the number of schedules that ran, up to `fireBatch`. */
export async function fireDue(db: DatabasePool): Promise<number> {
  const ids = await rows.listDue(db, fireBatch)
  let fired = 0
  await writeInHalves(ids, {
    async write(part) {
      fired += await db.transaction((tx) => fire(tx, part))
    },
    isOnes: isOfSchedule,
    failed: async ([id], error) => {
      if (!isOfSchedule(error)) throw error
      log.warn({ err: error, schedule: id }, 'a schedule could not run')
      const reason = error instanceof Problem ? error.message : notCreated
      await db.transaction((tx) => skipRun(tx, id as string, reason))
    },
  })
  return fired
}

/** True for an error of one schedule, such as the limit of its organisation. Other schedules run. */
const isOfSchedule = (error: unknown): boolean => (error instanceof Problem ? error.status < 500 : isRowFault(error))

/** The next run moves in the transaction that creates the job, so that each run creates one job. */
async function fire(tx: Db, ids: readonly string[]): Promise<number> {
  const plans = (await rows.lockDue(tx, ids)).map(tryPlan)
  const jobs = plans.flatMap(({ schedule, job }) => (job ? [{ orgId: schedule.org_id, job }] : []))
  await createJobsOf(tx, jobs)
  await rows.moveMany(tx, plans.map(toMove))
  return plans.length
}

interface Planned extends RunPlan {
  schedule: rows.Due
  state: rows.Schedule['state']
  job: NewJob | null
  error: string | null
}

/** Pauses a schedule that cannot be read, so that it does not stop the others. */
function tryPlan(schedule: rows.Due): Planned {
  try {
    const plan = planRun(schedule)
    const job = plan.scheduledFor && { ...openJob(schedule), scheduledFor: plan.scheduledFor }
    return { schedule, ...plan, state: plan.next ? 'active' : 'ended', job, error: null }
  } catch (error) {
    log.error({ err: error, schedule: schedule.id }, 'a schedule is invalid')
    return { schedule, scheduledFor: null, next: null, state: 'paused', job: null, error: unreadable }
  }
}

const unreadable = 'The time or the job of the schedule is invalid. Update the schedule, then resume it.'

const notCreated = 'The job of this run could not be created.'

const toMove = ({ schedule, scheduledFor, next, state, error }: Planned): rows.Move => ({
  ...{ id: schedule.id, state },
  next_run_at: next?.toISOString() ?? null,
  last_run_at: scheduledFor?.toISOString() ?? null,
  last_error: error === null ? null : { at: schedule.now.toISOString(), code: 'run_failed', message: error },
})

/** Moves on a schedule whose job cannot be created. */
async function skipRun(tx: Db, id: string, reason: string): Promise<void> {
  for (const schedule of await rows.lockDue(tx, [id])) {
    const next = findNextRun(schedule, schedule.now)
    const state = next ? 'active' : 'ended'
    await rows.moveMany(tx, [toMove({ schedule, scheduledFor: null, next, state, job: null, error: reason })])
  }
}
