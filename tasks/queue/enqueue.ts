import type { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { logContext } from '#lib/log.ts'
import { recordRequestJob } from '#lib/request-jobs.ts'
import { tracing } from '#lib/telemetry/tracing.ts'
import type { Db } from '#sql/db.ts'
import { cancelRuns } from '#sql/jobs/actions.ts'
import * as queue from '#sql/jobs/queue.ts'
import * as runs from '#sql/jobs/runs.ts'
import { type PoolName, poolSchema } from '../pools.ts'
import { getBacklogCache } from './backlog-cache.ts'
import { notifyDead } from './notify-dead.ts'
import { Envelope, type TaskSignature } from './task.ts'

export interface EnqueueOptions {
  at?: Date
  /** Only one waiting job of the pool can have this key. A second job replaces the first. */
  key?: string
  /**
   * From 0 to 999. Lower values run first. Default: 0. It orders the jobs of one organisation. The value of the queue’s
   * column is 1000 × level + priority. The level grows with the number of waiting jobs of the organisation
   * (fairness.ts). Jobs without an organisation have level 0.
   */
  priority?: number
  /** Organisation of the job. If a job adds further jobs, they have the same organisation. */
  orgId?: string
  subject?: string
  requestId?: string
  /** Span that added the job, as a W3C `traceparent`. Default: the current span. */
  trace?: string | undefined
}

type OptionsOfEach = EnqueueOptions | ((index: number) => EnqueueOptions)

/**
 * Adds a job in the caller’s transaction. The job exists only if the transaction commits. Returns the run’s ID for a
 * tracked task, otherwise the job’s ID.
 */
export async function enqueue<P extends z.ZodType, N extends PoolName>(
  tx: Db,
  task: TaskSignature<P, N>,
  payload: z.input<P>,
  options: EnqueueOptions = {},
): Promise<string> {
  const [id] = await enqueueMany(tx, task, [payload], options)
  return id as string
}

/**
 * Adds a job for each payload in one statement. Returns the IDs in the same order. Each grouped request has its own
 * options.
 */
export async function enqueueMany<P extends z.ZodType, N extends PoolName>(
  tx: Db,
  task: TaskSignature<P, N>,
  payloads: z.input<P>[],
  options: OptionsOfEach = {},
): Promise<string[]> {
  return await add(tx, task, payloads, options, false)
}

export async function enqueueQuestion<P extends z.ZodType, N extends PoolName>(
  tx: Db,
  task: TaskSignature<P, N>,
  payload: z.input<P>,
  options: EnqueueOptions,
): Promise<string> {
  const [id] = await add(tx, task, [payload], options, true)
  return id as string
}

async function add<P extends z.ZodType, N extends PoolName>(
  tx: Db,
  task: TaskSignature<P, N>,
  payloads: z.input<P>[],
  optionsOf: OptionsOfEach,
  asked: boolean,
): Promise<string[]> {
  const tracer = tracing()
  if (!tracer?.within()) return await addAll(tx, task, payloads, optionsOf, asked, undefined)
  const attributes = { 'messaging.destination.name': task.pool, 'messaging.batch.message_count': payloads.length }
  return await tracer.span({ name: `enqueue ${task.name}`, kind: 'producer', attributes }, (span) =>
    addAll(tx, task, payloads, optionsOf, asked, span.traceparent),
  )
}

async function addAll<P extends z.ZodType, N extends PoolName>(
  tx: Db,
  task: TaskSignature<P, N>,
  payloads: z.input<P>[],
  optionsOf: OptionsOfEach,
  asked: boolean,
  span: string | undefined,
): Promise<string[]> {
  const wanted = payloads.map((payload, i) => {
    const options = typeof optionsOf === 'function' ? optionsOf(i) : optionsOf
    return wantedJob(task, payload, { ...options, trace: options.trace ?? span }, asked)
  })
  const placings = wanted.map(({ job, run }) => ({ orgId: run.orgId, priority: job.priority, at: job.at }))
  const cache = getBacklogCache(tx)
  const columns = await cache.place(tx, task.pool, placings)
  const jobs = wanted.map(({ job }, i) => ({ ...job, priority: columns[i] }))
  const { ids, replaced } = task.tracked
    ? await addTracked(
        tx,
        task.pool,
        jobs,
        wanted.map(({ run }) => run),
      )
    : await addUntracked(tx, task.pool, jobs)
  cache.unplace(
    task.pool,
    placings.filter((_, i) => replaced[i]),
  )
  wanted.forEach(({ run }, i) => {
    recordRequestJob(run.requestId, task.tracked ? (ids[i] as string) : `${task.pool}:${ids[i]}`)
  })
  return ids
}

function wantedJob<P extends z.ZodType, N extends PoolName>(
  task: TaskSignature<P, N>,
  payload: z.input<P>,
  options: EnqueueOptions,
  asked: boolean,
) {
  const { orgId, subject, requestId = logContext().request_id, trace, ...waits } = options
  const id = task.tracked ? newId() : undefined
  const envelope: Envelope = { payload: task.payload.parse(payload), run: id, request_id: requestId, org: orgId, trace }
  return {
    job: { task: task.name, payload: envelope, attempts: task.attempts, ...waits },
    run: { id: id as string, task: task.name, pool: task.pool, orgId, subject, requestId, asked },
  }
}

interface AddedJobs {
  ids: string[]
  replaced: boolean[]
}

async function addUntracked(tx: Db, pool: PoolName, jobs: queue.Spec[]): Promise<AddedJobs> {
  const rows = await queue.addMany(tx, poolSchema(pool), jobs)
  return { ids: rows.map(({ id }) => String(id)), replaced: rows.map(({ replaced }) => replaced) }
}

async function addTracked(tx: Db, pool: PoolName, jobs: queue.Spec[], records: queue.NewRun[]): Promise<AddedJobs> {
  const replaced = new Set(await queue.addTracked(tx, poolSchema(pool), jobs, records))
  return { ids: records.map(({ id }) => id), replaced: records.map(({ id }) => replaced.has(id)) }
}

/**
 * Cancels a run and notifies its task. A waiting job never starts. A running job promptly receives an abort signal.
 * Returns the previous state, or null if the run does not exist.
 */
export async function cancel(db: Db, runId: string): Promise<runs.Run['state'] | null> {
  return await db.transaction(async (tx) => {
    const before = await runs.requestCancel(tx, runId)
    if (before === null) return null
    if (before.state === 'waiting') await cancelWaiting(tx, runId, before)
    return before.state
  })
}

/**
 * Ends a waiting run unless a worker has locked its job. If a worker has locked the job, it sees the cancellation when
 * the attempt starts.
 */
async function cancelWaiting(tx: Db, runId: string, run: Pick<runs.Run, 'task' | 'pool' | 'job_id'>): Promise<void> {
  const schema = poolSchema(run.pool as PoolName)
  const envelope = run.job_id === null ? null : await queue.remove(tx, schema, run.job_id)
  if (envelope === null && run.job_id !== null && (await queue.isLocked(tx, schema, run.job_id))) return
  await cancelRuns(tx, [{ id: runId, envelope }])
  if (envelope === null) return
  await enqueue(tx, notifyDead, { task: run.task, envelope: Envelope.parse(envelope), why: 'cancelled' })
}
