/**
 * Words used here and in every layer:
 *   task      a kind of work, declared once: name, pool, payload, attempts, time-out, run
 *   job       one piece of that work, waiting or running in its pool's queue
 *   attempt   one run of a job by one worker
 *   run       the lasting record of a tracked task's job: state, progress, attempts, answer (`jobs.runs`)
 *   pool      the workers that do a set of tasks, and the tools they lend
 */

import type { Logger } from 'pino'
import { z } from 'zod'
import type { DatabasePool, Db } from '#sql/db.ts'
import type { PoolName, Tools } from '../pools.ts'

/** What every task is given beside its payload. */
export interface Attempt {
  db: DatabasePool
  log: Logger
  /** Aborts on shutdown, time-out, cancel and loss of the job; every engine call takes it. */
  signal: AbortSignal
  /** The attempt's number, from 1. */
  attempt: number
  /** The run's id; only tracked tasks have one. */
  runId: string | undefined
  /** Records how far a tracked task is, 0 to 1; cheap to call often, written at most twice a second. */
  progress(fraction: number): void
  /**
   * Does state writes in a transaction that takes effect only while this attempt still owns the job; throws
   * `OwnershipLost` otherwise. Untracked tasks get a plain transaction.
   */
  own<T>(work: (tx: Db) => Promise<T>): Promise<T>
}

/** What a task is given when one of its jobs is given up. */
export interface Ending {
  db: DatabasePool
  /** The run's id; only tracked tasks have one. */
  runId: string | undefined
}

/** What a task brings its rows back with. */
export interface ReviveTools {
  /** The transaction in which the job is to wait again. */
  db: Db
  /** Adds a job of the named task in it: where the work must begin at an earlier step. */
  enqueue(task: string, payload: unknown, about: { subject: string; orgId: string }): Promise<void>
}

/** What those who add a job know of its task: enough where the work itself adds jobs of it. */
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

/** A task that forgot its type parameters, as lists hold them. */
// biome-ignore lint/suspicious/noExplicitAny: run is contravariant in its payload, so no other type holds every task.
export type AnyTask = Task<any, any, any>

interface Declaration<Payload extends z.ZodType, Pool extends PoolName, Answer> {
  /** `area/verb`: the task lives in `tasks/<area>/<verb>.ts`. */
  name: string
  pool: Pool
  payload: Payload
  /** Runs before the job is given up; with graphile's back-off of e^n seconds, 5 attempts span about 1.5 minutes. */
  attempts?: number
  /** Milliseconds one attempt may take before its signal aborts. */
  timeout?: number
  /** Long or precious: keeps a row in `jobs.runs` with progress, cancel, answer and history. */
  tracked?: boolean
  /** Runs by the clock, once across all workers: a crontab pattern in UTC. The payload schema must accept `{}`. */
  cron?: string
  /** Does the work; returning is done, throwing is a retry, `Permanent`, `Rejected` and `Later` are the other outcomes. */
  run: (payload: z.output<Payload>, tools: Attempt & Tools[Pool]) => Promise<Answer>
  /** Called once when no attempt is left (at least once after a crash): brings the rows to their failed state. */
  giveUp?: (payload: z.output<Payload>, error: Error, tools: Ending) => Promise<void>
  /**
   * Called when an operator has a job tried again that was given up, in that transaction: brings the rows back from their
   * failed state. Throws `Permanent` with a sentence when that cannot be.
   */
  revive?: (payload: z.output<Payload>, tools: ReviveTools) => Promise<void>
}

/** Declares a task. */
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

/** What travels in a job's payload column: the task's own payload and where the job came from. */
export const Envelope = z.object({
  payload: z.unknown(),
  run: z.guid().optional(),
  request_id: z.string().optional(),
  /** The organisation the work is for. */
  org: z.guid().optional(),
  /** The span it was enqueued in, as a W3C `traceparent`. */
  trace: z.string().optional(),
})

/** The parsed form of a job's payload column. */
export type Envelope = z.infer<typeof Envelope>

/** The envelope in a job's payload column; what the clock enqueues has none, and an empty payload. */
export function readEnvelope(column: unknown): Envelope {
  const byTheClock = typeof column === 'object' && column !== null && '_cron' in column
  return byTheClock ? { payload: {} } : (Envelope.safeParse(column).data ?? { payload: undefined })
}
