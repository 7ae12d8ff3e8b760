/**
 * Terms in every layer:
 *   task      a kind of work, declared once: name, pool, payload, attempts, timeout, run
 *   job       one unit of this work, waiting or running in its pool’s queue
 *   attempt   one run of a job by one worker
 *   run       the permanent record of a tracked task’s job: state, progress, attempts, answer (`jobs.runs`)
 *   pool      the workers for a set of tasks, and the tools for them
 */

import type { Logger } from 'pino'
import { z } from 'zod'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { PoolName, Tools } from '../pools.ts'

export interface Attempt {
  db: DatabasePool
  log: Logger
  /** Aborts on shutdown, timeout, cancellation and loss of the job. Pass it to every engine call. */
  signal: AbortSignal
  attempt: number
  runId: string | undefined
  /**
   * Records the progress of a tracked task, 0 to 1. Cheap to call often: the progress is written at most twice per
   * second.
   */
  progress(fraction: number): void
  /**
   * Writes state in a transaction that commits only while this attempt owns the job. Throws `OwnershipLostError` otherwise.
   * Untracked tasks get a plain transaction.
   */
  own<T>(work: (tx: Db) => Promise<T>): Promise<T>
}

export interface Ending {
  db: DatabasePool
  runId: string | undefined
}

export interface ReviveTools {
  db: Db
  /** Adds a job of another task in the transaction. Use it to restart the work at an earlier step. */
  enqueue(task: string, payload: unknown, about: { subject: string; orgId: string }): Promise<void>
}

/** Properties of a task that are needed to add jobs. A task that adds jobs of itself needs only these. */
export interface TaskSignature<Payload extends z.ZodType = z.ZodType, Pool extends PoolName = PoolName> {
  readonly name: string
  readonly pool: Pool
  readonly payload: Payload
  readonly attempts: number
  readonly tracked: boolean
}

export interface Task<Payload extends z.ZodType = z.ZodType, Pool extends PoolName = PoolName, Answer = unknown>
  extends TaskSignature<Payload, Pool> {
  readonly timeout: number
  readonly cron: string | undefined
  readonly run: (payload: z.output<Payload>, tools: Attempt & Tools[Pool]) => Promise<Answer>
  readonly giveUp: ((payload: z.output<Payload>, error: Error, tools: Ending) => Promise<void>) | undefined
  readonly revive: ((payload: z.output<Payload>, tools: ReviveTools) => Promise<void>) | undefined
}

/** A task without its type parameters, for lists. */
// biome-ignore lint/suspicious/noExplicitAny: run is contravariant in its payload, so no other type holds every task.
export type AnyTask = Task<any, any, any>

interface Declaration<Payload extends z.ZodType, Pool extends PoolName, Answer> {
  /** `area/verb`: the task is in `tasks/<area>/<verb>.ts`. */
  name: string
  pool: Pool
  payload: Payload
  /** Maximum number of attempts. With graphile’s back-off of e^n seconds, 5 attempts take about 1.5 minutes. */
  attempts?: number
  /** Timeout of an attempt in milliseconds. Then its signal aborts. */
  timeout?: number
  /** For long or important work. Stores a row in `jobs.runs` with progress, cancellation, answer and history. */
  tracked?: boolean
  /**
   * Schedule as a crontab pattern in UTC. Each scheduled run starts once across all workers. The payload schema must
   * accept `{}`.
   */
  cron?: string
  /**
   * Does the work. If it returns, the job is done. If it throws, the job is retried. Throw `Permanent`, `Rejected` or
   * `Later` for the other outcomes.
   */
  run: (payload: z.output<Payload>, tools: Attempt & Tools[Pool]) => Promise<Answer>
  /** Called when no attempts are left (once, or more often after a crash). Sets the rows to their failed state. */
  giveUp?: (payload: z.output<Payload>, error: Error, tools: Ending) => Promise<void>
  /**
   * Called in the transaction in which an operator retries a failed job. Changes the rows back from their failed state.
   * Throws `Permanent` with the reason if that is not possible.
   */
  revive?: (payload: z.output<Payload>, tools: ReviveTools) => Promise<void>
}

export function task<Payload extends z.ZodType, Pool extends PoolName, Answer = void>(
  declaration: Declaration<Payload, Pool, Answer>,
): Task<Payload, Pool, Answer> {
  const defaults = {
    attempts: 5,
    timeout: 60_000,
    tracked: false,
    cron: undefined,
    giveUp: undefined,
    revive: undefined,
  }
  return { ...defaults, ...declaration }
}

/** Content of a job’s payload column: the task’s payload and the origin of the job. */
export const Envelope = z.object({
  payload: z.unknown(),
  run: z.guid().optional(),
  request_id: z.string().optional(),
  org: z.guid().optional(),
  trace: z.string().optional(),
})

export type Envelope = z.infer<typeof Envelope>

/** Parses a job’s payload column. Scheduled jobs have no envelope and an empty payload. */
export function readEnvelope(column: unknown): Envelope {
  const byTheClock = typeof column === 'object' && column !== null && '_cron' in column
  return byTheClock ? { payload: {} } : (Envelope.safeParse(column).data ?? { payload: undefined })
}
