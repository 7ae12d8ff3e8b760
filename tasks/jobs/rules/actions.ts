import * as orgs from '#sql/account/orgs.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as rows from '#sql/jobs/actions.ts'
import * as controls from '#sql/jobs/controls.ts'
import type { Filter, State } from '#sql/jobs/filter.ts'
import * as job from '#sql/jobs/job.ts'
import * as jobs from '#sql/jobs/list.ts'
import * as queue from '#sql/jobs/queue.ts'
import { findTask } from '../../index.ts'
import { type PoolName, poolSchema, queues } from '../../pools.ts'
import { Envelope } from '../../queue/task.ts'
import { type JobAction, jobActions, notNotified, revive } from './action-kinds.ts'
import { lockNoticesOfRun, removeNotices } from './dead-notices.ts'
import { type JobRef, parseName, UnknownNameError } from './names.ts'

export interface Outcome {
  name: string
  changed: boolean
  state: State
  message: string
}

/** The actor, and the due time of the job (for `retry` and `reschedule`). Default due time: now. */
export interface ActionOptions {
  actor: string
  at?: Date | undefined
}

const done: Record<JobAction, string> = {
  retry: 'The job will be retried.',
  cancel: 'The job is cancelled.',
  discard: 'The job is discarded.',
  reschedule: 'The job is rescheduled.',
}

/**
 * Applies an action to one job in one transaction. A second call changes nothing. Throws `UnknownNameError` if the job does
 * not exist.
 */
export async function performAction(
  db: DatabasePool,
  action: JobAction,
  name: string,
  { actor, at }: ActionOptions,
): Promise<Outcome> {
  const ref = parseName(name)
  return await db.transaction(async (tx) => {
    const outcome = (await performInQueue(tx, action, ref, at)) ?? (await performOnRun(tx, action, ref, at))
    if (!outcome)
      throw new UnknownNameError(
        `The job ${name} does not exist. It may have finished: untracked jobs leave no record.`,
      )
    if (outcome.changed) await controls.recordAction(tx, { actor, action, target: outcome.name, count: 1 })
    return outcome
  })
}

async function performInQueue(tx: Db, action: JobAction, ref: JobRef, at = new Date()): Promise<Outcome | null> {
  const place = 'run' in ref ? await placeOf(tx, ref.run) : ref
  if (!place) return null
  const target = { pool: place.pool, schema: poolSchema(place.pool) }
  const [locked] = await rows.lock(tx, target, [place.jobId])
  if (!locked || ('run' in ref && locked.run_id !== ref.run)) return null
  const why = (await jobActions[action](tx, target, [locked], at)).get(locked.id)
  const message =
    why ?? (action === 'cancel' && locked.state === 'running' ? 'The job will be stopped in a moment.' : done[action])
  return { name: `${place.pool}:${locked.id}`, changed: !why, state: locked.state, message }
}

async function placeOf(tx: Db, runId: string): Promise<{ pool: PoolName; jobId: number } | null> {
  const run = await job.findRun(tx, runId)
  return run?.job_id ? { pool: run.pool as PoolName, jobId: run.job_id } : null
}

async function performOnRun(tx: Db, action: JobAction, ref: JobRef, at = new Date()): Promise<Outcome | null> {
  const found = 'run' in ref ? await job.findRun(tx, ref.run) : await job.findRunOfJob(tx, ref.pool, ref.jobId)
  if (!found || !(await rows.lockRun(tx, found.id))) return null
  const run = (await job.findRun(tx, found.id)) as job.WholeRun
  const state: State = run.discarded_at ? 'discarded' : run.state
  const outcome = (changed: boolean, message: string) => ({ name: run.id, changed, state, message })
  if (action === 'discard') {
    if (state === 'discarded') return outcome(false, 'The job is already discarded.')
    return (await rows.discardRun(tx, run.id))
      ? outcome(true, done.discard)
      : outcome(false, `The job has ended: ${state}.`)
  }
  if (state === 'rejected') return outcome(false, 'The job was rejected: its input can never be processed.')
  if (action !== 'retry' || state === 'done') return outcome(false, `The job has ended: ${state}.`)
  const why = await addAnew(tx, run, at)
  return why ? outcome(false, why) : outcome(true, done.retry)
}

/** Adds the job of a run again. Returns the reason if that is not possible. */
async function addAnew(tx: Db, run: job.WholeRun, at: Date): Promise<string | undefined> {
  const envelope = Envelope.safeParse(run.envelope)
  if (!envelope.success) return 'The job’s payload was not stored, so the job cannot run again.'
  const notices = await lockNoticesOfRun(tx, run.id)
  if (notices.some(({ running }) => running)) return notNotified
  const why = await revive(tx, run.task, envelope.data)
  if (why) return why
  await removeNotices(tx, notices)
  const attempts = findTask(run.task)?.attempts ?? 1
  const spec = { task: run.task, payload: envelope.data, attempts, at }
  const [added] = await queue.addMany(tx, poolSchema(run.pool as PoolName), [spec])
  await rows.reopenRuns(tx, [run.id])
  await rows.bindRun(tx, run.id, added?.id as number)
  return undefined
}

export interface ActionCounts {
  changed: number
  refused: Record<string, number>
}

/**
 * Number of jobs per transaction of an action on many jobs. It is small, so that no transaction holds locks for long.
 */
const batchSize = 1_000

export async function countMatchingJobs(db: Db, action: JobAction, filter: Filter): Promise<number> {
  const counts = await Promise.all(queues.map((each) => jobs.count(db, each, narrowed(action, filter))))
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/**
 * Applies an action to all matching jobs in the queues, in batches with one transaction each. `onProgress` receives the
 * number of processed jobs. Jobs that are added during the action are not changed. If the action is interrupted,
 * completed batches are kept.
 */
export async function performActionOnAll(
  db: DatabasePool,
  action: JobAction,
  filter: Filter,
  { actor, at = new Date() }: ActionOptions,
  { onProgress, signal }: { onProgress?: (seen: number) => void; signal?: AbortSignal } = {},
): Promise<ActionCounts> {
  const meant = narrowed(action, filter)
  const counts: ActionCounts = { changed: 0, refused: {} }
  const note = await controls.recordAction(db, { actor, action, target: await describeFilter(db, filter), count: 0 })
  let seen = 0
  for (const each of queues) {
    const { count, last } = await jobs.count(db, each, meant)
    for (let after = 0; count > 0 && !signal?.aborted; ) {
      const ids = await jobs.idsBetween(db, each, meant, { after, last, limit: batchSize })
      if (ids.length === 0) break
      const refusals = await db.transaction(async (tx) => {
        const locked = await rows.lock(tx, each, ids)
        const refused = await jobActions[action](tx, each, locked, at)
        await controls.addToActionCount(tx, note, locked.length - refused.size)
        return { locked: locked.length, refused }
      })
      counts.changed += refusals.locked - refusals.refused.size
      for (const why of refusals.refused.values()) counts.refused[why] = (counts.refused[why] ?? 0) + 1
      after = ids.at(-1) as number
      seen += ids.length
      onProgress?.(seen)
    }
  }
  return counts
}

/** Restricts a filter without a state to the states of the action. */
function narrowed(action: JobAction, filter: Filter): Filter {
  if (filter.state) return filter
  return { ...filter, state: action === 'retry' || action === 'discard' ? 'failed' : 'open' }
}

/** Returns a description of a filter for the action log, with the organisation’s name and ID. */
export async function describeFilter(db: Db, filter: Filter): Promise<string> {
  const org = filter.org && (await orgs.find(db, filter.org))
  const parts = Object.entries(filter).map(([name, value]) => {
    if (value === undefined) return []
    if (name === 'org' && org) return `org ${org.name} (${org.id})`
    return `${name} ${value instanceof Date ? value.toISOString() : value}`
  })
  return parts.flat().join(', ') || 'all jobs'
}
