import { Problem } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type DatabasePool, type Db, isRowFault } from '#sql/db.ts'
import * as rows from '#sql/work/schedules.ts'
import { createJobsOf } from '../create-jobs.ts'
import type { NewJob } from '../new-job.ts'
import { findRoomProblem } from '../pending-limit.ts'
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
      const isLimit = error instanceof Problem && error.status === 429
      await db.transaction((tx) => (isLimit ? postponeRun : skipRun)(tx, id as string, reason))
    },
  })
  return fired
}

/** True for an error of one schedule, such as the limit of its organisation. Other schedules run. */
const isOfSchedule = (error: unknown): boolean => (error instanceof Problem ? error.status < 500 : isRowFault(error))

/** The next run moves in the transaction that creates the job, so that each run creates one job. */
async function fire(tx: Db, ids: readonly string[]): Promise<number> {
  const plans = await postponeFull(tx, (await rows.lockDue(tx, ids)).map(tryPlan))
  const jobs = plans.flatMap(({ schedule, job }) => (job ? [{ orgId: schedule.org_id, job }] : []))
  await createJobsOf(tx, jobs)
  await rows.moveMany(tx, plans.map(toMove))
  return plans.length
}

/** Time in milliseconds after which a run is tried again whose job the plan did not allow. */
const againMs = 30_000

/** Postpones the runs whose jobs the plan does not allow now. Thus they cost the schedules of others no transactions. */
async function postponeFull(tx: Db, plans: readonly Planned[]): Promise<readonly Planned[]> {
  const adding = new Map<string, number>()
  const checked: Planned[] = []
  for (const plan of plans) {
    const { org_id } = plan.schedule
    const count = (adding.get(org_id) ?? 0) + 1
    const problem = plan.job && (await findRoomProblem(tx, org_id, count))
    if (plan.job && !problem) adding.set(org_id, count)
    checked.push(problem ? postpone(plan.schedule, problem.message) : plan)
  }
  return checked
}

/** The next run stays. It is tried again until it counts as missed. */
const postpone = (schedule: rows.Due, error: string): Planned => ({
  ...{ schedule, scheduledFor: null, next: schedule.next_run_at, state: 'active', job: null, error },
  retryAt: new Date(schedule.now.getTime() + againMs),
})

async function postponeRun(tx: Db, id: string, reason: string): Promise<void> {
  for (const schedule of await rows.lockDue(tx, [id])) await rows.moveMany(tx, [toMove(postpone(schedule, reason))])
}

interface Planned extends RunPlan {
  schedule: rows.Due
  state: rows.Schedule['state']
  job: NewJob | null
  error: string | null
  retryAt?: Date
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

const toMove = ({ schedule, scheduledFor, next, state, error, retryAt }: Planned): rows.Move => ({
  ...{ id: schedule.id, state },
  next_run_at: next?.toISOString() ?? null,
  retry_at: retryAt?.toISOString() ?? null,
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
