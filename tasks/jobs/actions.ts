import * as orgs from '#sql/account/orgs.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as mend from '#sql/jobs/actions.ts'
import * as orders from '#sql/jobs/controls.ts'
import type { Filter, State } from '#sql/jobs/filter.ts'
import * as job from '#sql/jobs/job.ts'
import * as jobs from '#sql/jobs/list.ts'
import * as queue from '#sql/jobs/queue.ts'
import { findTask } from '../index.ts'
import { type PoolName, poolSchema, queues } from '../queue/pools.ts'
import { Envelope } from '../queue/task.ts'
import { givingUp, type Kind, mendings, revive } from './action-kinds.ts'
import { burialsOfRun, unbury } from './burials.ts'
import { type JobRef, parseName, UnknownName } from './names.ts'

/** What an action on one job came to. */
export interface Outcome {
  name: string
  changed: boolean
  /** Where the job stood before. */
  state: State
  /** One sentence for people: what was done, or why nothing was. */
  message: string
}

/** Who acts, and when the job shall be due (`retry`, `reschedule`); now by default. */
export interface By {
  actor: string
  at?: Date | undefined
}

const done: Record<Kind, string> = {
  retry: 'It is tried again.',
  cancel: 'It is cancelled.',
  discard: 'It is discarded.',
  reschedule: 'It is rescheduled.',
}

/** Does one thing to one job, in one transaction; doing it twice changes nothing. Throws `UnknownName` for no job. */
export async function act(db: DatabasePool, kind: Kind, name: string, { actor, at }: By): Promise<Outcome> {
  const ref = parseName(name)
  return await db.transaction(async (tx) => {
    const outcome = (await actInQueue(tx, kind, ref, at)) ?? (await actOnRun(tx, kind, ref, at))
    if (!outcome) throw new UnknownName(`There is no job ${name}; it may have ended: untracked jobs leave no record.`)
    if (outcome.changed) await orders.note(tx, { actor, action: kind, target: outcome.name, count: 1 })
    return outcome
  })
}

/** Acts on a job that is in its queue; null when it is not. */
async function actInQueue(tx: Db, kind: Kind, ref: JobRef, at = new Date()): Promise<Outcome | null> {
  const place = 'run' in ref ? await placeOf(tx, ref.run) : ref
  if (!place) return null
  const target = { pool: place.pool, schema: poolSchema(place.pool) }
  const [held] = await mend.hold(tx, target, [place.jobId])
  if (!held || ('run' in ref && held.run_id !== ref.run)) return null
  const why = (await mendings[kind](tx, target, [held], at)).get(held.id)
  const message =
    why ?? (kind === 'cancel' && held.state === 'running' ? 'It gets its signal within a moment.' : done[kind])
  return { name: `${place.pool}:${held.id}`, changed: !why, state: held.state, message }
}

async function placeOf(tx: Db, runId: string): Promise<{ pool: PoolName; jobId: number } | null> {
  const run = await job.findRun(tx, runId)
  return run?.job_id ? { pool: run.pool as PoolName, jobId: run.job_id } : null
}

/** Acts on a run that has left its queue; null when there is none. */
async function actOnRun(tx: Db, kind: Kind, ref: JobRef, at = new Date()): Promise<Outcome | null> {
  const found = 'run' in ref ? await job.findRun(tx, ref.run) : await job.findRunOfJob(tx, ref.pool, ref.jobId)
  if (!found || !(await mend.holdRun(tx, found.id))) return null
  const run = (await job.findRun(tx, found.id)) as job.WholeRun
  const state: State = run.discarded_at ? 'discarded' : run.state
  const outcome = (changed: boolean, message: string) => ({ name: run.id, changed, state, message })
  if (kind === 'discard') {
    if (state === 'discarded') return outcome(false, 'It was discarded before.')
    return (await mend.discardRun(tx, run.id)) ? outcome(true, done.discard) : outcome(false, `It has ended: ${state}.`)
  }
  if (state === 'rejected') return outcome(false, 'It was rejected: what it was given can never work.')
  if (kind !== 'retry' || state === 'done') return outcome(false, `It has ended: ${state}.`)
  const why = await addAnew(tx, run, at)
  return why ? outcome(false, why) : outcome(true, done.retry)
}

/** Adds the job of a run that has left its queue once more; why that cannot be, if it cannot. */
async function addAnew(tx: Db, run: job.WholeRun, at: Date): Promise<string | undefined> {
  const envelope = Envelope.safeParse(run.envelope)
  if (!envelope.success) return 'What its job carried was not kept, so it cannot run again.'
  const burials = await burialsOfRun(tx, run.id)
  if (burials.some(({ held }) => held)) return givingUp
  const why = await revive(tx, run.task, envelope.data)
  if (why) return why
  await unbury(tx, burials)
  const attempts = findTask(run.task)?.attempts ?? 1
  const spec = { task: run.task, payload: envelope.data, attempts, at }
  const [added] = await queue.addMany(tx, poolSchema(run.pool as PoolName), [spec])
  await mend.reopenRuns(tx, [run.id])
  await mend.bindRun(tx, run.id, added?.id as number)
  return undefined
}

/** What an action on many jobs came to. */
export interface Tally {
  changed: number
  /** Jobs that were left as they are, by the reason. */
  refused: Record<string, number>
}

/** Jobs that one transaction of an action on many takes: short enough to be in nobody's way. */
const batchSize = 1_000

/** How many jobs an action on all that match would find. */
export async function countAll(db: Db, kind: Kind, filter: Filter): Promise<number> {
  const counts = await Promise.all(queues.map((each) => jobs.count(db, each, narrowed(kind, filter))))
  return counts.reduce((sum, { count }) => sum + count, 0)
}

/**
 * Does one thing to all jobs in the queues that match, in batches of a transaction each; `onProgress` is told how many
 * were looked at. Jobs that are added meanwhile are left alone. What is done when it is broken off stays done.
 */
export async function actOnAll(
  db: DatabasePool,
  kind: Kind,
  filter: Filter,
  { actor, at = new Date() }: By,
  { onProgress, signal }: { onProgress?: (seen: number) => void; signal?: AbortSignal } = {},
): Promise<Tally> {
  const meant = narrowed(kind, filter)
  const tally: Tally = { changed: 0, refused: {} }
  const note = await orders.note(db, { actor, action: kind, target: await describeFilter(db, filter), count: 0 })
  let seen = 0
  for (const each of queues) {
    const { count, last } = await jobs.count(db, each, meant)
    for (let after = 0; count > 0 && !signal?.aborted; ) {
      const ids = await jobs.idsBetween(db, each, meant, { after, last, limit: batchSize })
      if (ids.length === 0) break
      const refusals = await db.transaction(async (tx) => {
        const held = await mend.hold(tx, each, ids)
        const refused = await mendings[kind](tx, each, held, at)
        await orders.addToNote(tx, note, held.length - refused.size)
        return { held: held.length, refused }
      })
      tally.changed += refusals.held - refusals.refused.size
      for (const why of refusals.refused.values()) tally.refused[why] = (tally.refused[why] ?? 0) + 1
      after = ids.at(-1) as number
      seen += ids.length
      onProgress?.(seen)
    }
  }
  return tally
}

/** Of the jobs that match, those that the action is for, unless a state was asked for. */
function narrowed(kind: Kind, filter: Filter): Filter {
  if (filter.state) return filter
  return { ...filter, state: kind === 'retry' || kind === 'discard' ? 'failed' : 'open' }
}

/** A filter in words, as it is noted; its organisation by name and id. */
export async function describeFilter(db: Db, filter: Filter): Promise<string> {
  const org = filter.org && (await orgs.find(db, filter.org))
  const parts = Object.entries(filter).map(([name, value]) => {
    if (value === undefined) return []
    if (name === 'org' && org) return `org ${org.name} (${org.id})`
    return `${name} ${value instanceof Date ? value.toISOString() : value}`
  })
  return parts.flat().join(', ') || 'all jobs'
}
