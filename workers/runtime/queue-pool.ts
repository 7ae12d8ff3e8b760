import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { QueryConfig, QueryResult } from 'pg'
import { createSlots, type Slots } from '#lib/slots.ts'
import { releaseOthers } from '#sql/jobs/graphile-schema.ts'
import { type Claimed, compareTurns, stabilisePlan } from '#sql/jobs/steady-plans.ts'
import { type HeldJob, HeldJobs } from './held-jobs.ts'
import { SharedIdle } from './shared-idle.ts'

type Callback = (error: Error | undefined, client: unknown, done: () => void) => void

export type Statement = QueryConfig

/**
 * A statement got no response, because there was no connection or the connection broke. The statement may have been
 * executed.
 */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError'
}

export interface QueuePoolParts {
  schema: string
  share: number
  /**
   * Sends a statement on one of the process’s connections. Throws `NoAnswerError` if there is no connection or the
   * connection breaks.
   */
  ask(statement: Statement): Promise<QueryResult>
  mayFetch(): boolean
  isOver(): boolean
}

export const libraryChannel = 'jobs:insert'

/**
 * Names of the queue library’s prepared statements that fetch jobs, and of the statement with which a slot fetches one
 * job.
 */
const fetching = /^get_job\w*\//
const fetchingOne = /^get_job\//

const againMs = 200

const nothing = { rows: [], rowCount: 0 } as unknown as QueryResult

/**
 * The object that the queue library uses as the pg pool of one queue. Its statements use connections that all queues of
 * the process share. This queue uses at most its share of the connections, even if its tables are slow. While Postgres
 * is unavailable, statements wait, because otherwise the library would stop. Notifications arrive on one connection
 * that listens for all pools. No query is sent before the worker is registered.
 */
export class QueuePool extends EventEmitter {
  readonly options: { max: number }
  readonly #parts: QueuePoolParts
  readonly #slots: Slots
  readonly #listening = new EventEmitter()
  readonly #held = new HeldJobs()
  readonly #idle = new SharedIdle(() => this.#tell(libraryChannel, '{"count":1}'))
  #ready: Promise<unknown> = Promise.resolve()
  readonly #fetches = new Set<{ at: number }>()
  /** True if a fetch got no response. Jobs can then be locked for this worker, and the worker does not know them. */
  #isUnsure = false

  constructor(max: number, parts: QueuePoolParts) {
    super()
    this.options = { max }
    this.#parts = parts
    this.#slots = createSlots(parts.share)
    // The library requires a listener. The owner of the connections handles their errors.
    this.on('error', () => {})
    this.on('connect', () => {})
  }

  /** Delays all queries until `registered` resolves. */
  holdUntil(registered: Promise<unknown>): void {
    this.#ready = registered
  }

  /** Passes a notification to the library, under the channel name that the library listens on. */
  notify(channel: string, payload: string): void {
    this.#idle.notified()
    this.#tell(channel, payload)
  }

  #tell(channel: string, payload: string): void {
    this.#listening.emit('notification', { channel, payload })
  }

  get waitedMs(): number {
    const [oldest] = this.#fetches
    return oldest ? performance.now() - oldest.at : 0
  }

  disown(): void {
    this.#held.disown()
  }

  /** True if this worker no longer owns a job that the library still holds. */
  isStale(job: object): boolean {
    return this.#held.isStale(job)
  }

  /**
   * Returns a connection. A call with a callback requests the library’s listening connection, which is not a real
   * connection.
   */
  connect(): Promise<unknown>
  connect(callback: Callback): void
  connect(callback?: Callback): Promise<unknown> | undefined {
    if (!callback) {
      const lent = { query: (text: string | Statement, values?: unknown[]) => this.query(text, values), release() {} }
      return this.#ready.then(() => lent)
    }
    const listening = Object.assign(this.#listening, { query: async () => nothing })
    this.#ready.then(
      () => callback(undefined, listening, () => {}),
      (error: Error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  async query(text: string | Statement, values?: unknown[]): Promise<QueryResult> {
    await this.#ready
    const statement = stabilisePlan<Statement>(typeof text === 'string' ? { text, ...(values && { values }) } : text)
    const { name = '' } = statement
    if (fetchingOne.test(name)) return (await this.#idle.fetch(() => this.#fetch(statement))) ?? nothing
    if (fetching.test(name)) return (await this.#fetch(statement)) ?? nothing
    const answer = await this.#untilAnswered(statement)
    if (this.#held.answered(statement)) this.#idle.changed()
    return answer
  }

  /** Sends a statement until a response arrives. The library’s statements that release jobs can be repeated safely. */
  async #untilAnswered(statement: Statement): Promise<QueryResult> {
    for (;;) {
      try {
        using _ = await this.#slots.take()
        return await this.#parts.ask(statement)
      } catch (error) {
        if (!(error instanceof NoAnswerError) || this.#parts.isOver()) throw error
      }
      await pause(againMs)
    }
  }

  /** Fetches jobs. Returns undefined if no query could be sent or no response arrived. The library then tries again. */
  async #fetch(statement: Statement): Promise<QueryResult | undefined> {
    using _ = await this.#slots.take()
    if (!this.#parts.mayFetch()) return undefined
    if (this.#isUnsure && !(await this.#release(statement))) return undefined
    const under = { at: performance.now() }
    this.#fetches.add(under)
    try {
      const answer = await this.#parts.ask(statement)
      this.#held.fetched((answer.rows as (HeldJob & Claimed)[]).sort(compareTurns))
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error
      this.#isUnsure = true
      await pause(againMs)
      return undefined
    } finally {
      this.#fetches.delete(under)
    }
  }

  /** Releases jobs that a fetch without a response can have locked. Returns false if this is not yet possible. */
  async #release({ values = [] }: Statement): Promise<boolean> {
    // The jobs of another fetch are unknown until its response arrives.
    if (this.#fetches.size > 0) return false
    const under = { at: performance.now() }
    this.#fetches.add(under)
    try {
      await this.#parts.ask({ text: releaseOthers(this.#parts.schema), values: [values[0], this.#held.ids] })
      this.#isUnsure = false
      return true
    } catch (error) {
      if (!(error instanceof NoAnswerError)) throw error
      return false
    } finally {
      this.#fetches.delete(under)
    }
  }
}
