import { EventEmitter } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { QueryConfig, QueryResult } from 'pg'
import { createSlots, type Slots } from '#lib/slots.ts'
import { releaseOthers } from '#sql/jobs/graphile-schema.ts'
import { byTurn, type Claimed, steadied } from '#sql/jobs/steady-plans.ts'
import { type HeldJob, HeldJobs } from './held-jobs.ts'
import { SharedIdle } from './shared-idle.ts'

type Callback = (error: Error | undefined, client: unknown, done: () => void) => void

/** A statement of the queue library's, or of ours about its tables. */
export type Statement = QueryConfig

/** A statement got no answer, as there was no connection, or it broke: whether it was carried out is not known. */
export class NoAnswer extends Error {
  override name = 'NoAnswer'
}

/** What the process lends the pool of one queue. */
export interface QueuePoolParts {
  schema: string
  /** Statements that this queue may have under way at once, of all that the process's connections take. */
  share: number
  /** Sends a statement on one of the process's connections; throws `Unanswered` where there is none, or it breaks. */
  ask(statement: Statement): Promise<QueryResult>
  /** Whether jobs may be fetched. */
  mayFetch(): boolean
  /** Nothing is asked any more. */
  isOver(): boolean
}

/** The channel on which the queue library listens for new jobs. */
export const libraryChannel = 'jobs:insert'

/** The queue library's prepared statements that fetch jobs, and the one by which each slot fetches one for itself. */
const fetching = /^get_job\w*\//
const fetchingOne = /^get_job\//

/** Milliseconds after which a statement that got no answer is sent again. */
const againMs = 200

const nothing = { rows: [], rowCount: 0 } as unknown as QueryResult

/**
 * What the queue library takes for the pg pool of one queue. Its statements go over connections that all queues of the process
 * share, of which this one never has more than its share, however slow its tables are; and while Postgres is away they wait, as
 * the library would end. It hears notifications that one connection hears for all. Nothing is asked before the worker is registered.
 */
export class QueuePool extends EventEmitter {
  readonly options: { max: number }
  readonly #parts: QueuePoolParts
  readonly #slots: Slots
  readonly #listening = new EventEmitter()
  readonly #held = new HeldJobs()
  readonly #idle = new SharedIdle(() => this.#tell(libraryChannel, '{"count":1}'))
  #ready: Promise<unknown> = Promise.resolve()
  /** When the fetches under way were sent. */
  readonly #fetches = new Set<{ at: number }>()
  /** A fetch got no answer: jobs may be locked for this worker that it does not know of. */
  #isUnsure = false

  constructor(max: number, parts: QueuePoolParts) {
    super()
    this.options = { max }
    this.#parts = parts
    this.#slots = createSlots(parts.share)
    // The library demands that somebody hears these; of the connections themselves their owner does.
    this.on('error', () => {})
    this.on('connect', () => {})
  }

  /** Asks nothing until `registered` resolves. */
  holdUntil(registered: Promise<unknown>): void {
    this.#ready = registered
  }

  /** Tells the library of a notification, by the name of the channel that it listens on. */
  notify(channel: string, payload: string): void {
    this.#idle.notified()
    this.#tell(channel, payload)
  }

  #tell(channel: string, payload: string): void {
    this.#listening.emit('notification', { channel, payload })
  }

  /** Milliseconds for which the oldest fetch under way has waited for its answer. */
  get waitedMs(): number {
    const [oldest] = this.#fetches
    return oldest ? performance.now() - oldest.at : 0
  }

  /** Says that no job that was fetched is this worker's any more. */
  disown(): void {
    this.#held.disown()
  }

  /** Whether a job is not this worker's any more, though the library still has it. */
  isStale(job: object): boolean {
    return this.#held.isStale(job)
  }

  /** Lends a connection. By callback the library asks for the one it listens with, which it keeps: that one is no connection. */
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
    const statement = steadied<Statement>(typeof text === 'string' ? { text, ...(values && { values }) } : text)
    const { name = '' } = statement
    if (fetchingOne.test(name)) return (await this.#idle.fetch(() => this.#fetch(statement))) ?? nothing
    if (fetching.test(name)) return (await this.#fetch(statement)) ?? nothing
    const answer = await this.#untilAnswered(statement)
    if (this.#held.answered(statement)) this.#idle.changed()
    return answer
  }

  /** Sends a statement as often as it takes: those of the library that end its hold on jobs do the same when repeated. */
  async #untilAnswered(statement: Statement): Promise<QueryResult> {
    for (;;) {
      try {
        using _ = await this.#slots.take()
        return await this.#parts.ask(statement)
      } catch (error) {
        if (!(error instanceof NoAnswer) || this.#parts.isOver()) throw error
      }
      await pause(againMs)
    }
  }

  /** Fetches jobs; undefined where none could be asked for, or there was no answer: the library asks again by itself. */
  async #fetch(statement: Statement): Promise<QueryResult | undefined> {
    using _ = await this.#slots.take()
    if (!this.#parts.mayFetch()) return undefined
    if (this.#isUnsure && !(await this.#release(statement))) return undefined
    const under = { at: performance.now() }
    this.#fetches.add(under)
    try {
      const answer = await this.#parts.ask(statement)
      this.#held.fetched((answer.rows as (HeldJob & Claimed)[]).sort(byTurn))
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      this.#isUnsure = true
      await pause(againMs)
      return undefined
    } finally {
      this.#fetches.delete(under)
    }
  }

  /** Gives back what a fetch without an answer may have locked; false where that is not possible yet. */
  async #release({ values = [] }: Statement): Promise<boolean> {
    // What another fetch has locked is not known before its answer.
    if (this.#fetches.size > 0) return false
    const under = { at: performance.now() }
    this.#fetches.add(under)
    try {
      await this.#parts.ask({ text: releaseOthers(this.#parts.schema), values: [values[0], this.#held.ids] })
      this.#isUnsure = false
      return true
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return false
    } finally {
      this.#fetches.delete(under)
    }
  }
}
