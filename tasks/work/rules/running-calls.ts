import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as turns from '#sql/work/turns.ts'

/** Interval in milliseconds between looks at the requests that are under way. */
const lookMs = 250

interface RunningCall extends turns.Turn {
  at: string
  isMarked: boolean
  abort(): void
}

/**
 * The requests that this process has under way. A request that takes longer than a moment is shown as running. A request
 * of a job that has ended in the meantime, because it was cancelled, is aborted.
 */
export class RunningCalls implements AsyncDisposable {
  readonly #db: DatabasePool
  readonly #calls = new Set<RunningCall>()
  readonly #timer: NodeJS.Timeout
  #looking: Promise<void> | undefined

  constructor(db: DatabasePool) {
    this.#db = db
    this.#timer = setInterval(() => this.#start(), lookMs)
  }

  /** Calls `abort` if the job ends in the meantime, until the result is disposed of. */
  add({ id, turn }: turns.Turn, abort: () => void): Disposable {
    const call = { id, turn, at: new Date().toISOString(), isMarked: false, abort }
    this.#calls.add(call)
    return {
      [Symbol.dispose]: () => {
        this.#calls.delete(call)
      },
    }
  }

  #start(): void {
    if (this.#looking || this.#calls.size === 0) return
    this.#looking = this.#look()
      .catch((error) => log.debug({ err: describe(error) }, 'could not look at running jobs; retrying'))
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #look(): Promise<void> {
    const old = new Date(Date.now() - lookMs).toISOString()
    const calls = [...this.#calls].filter(({ at }) => at <= old)
    if (calls.length === 0) return
    const unmarked = calls.filter(({ isMarked }) => !isMarked)
    if (unmarked.length > 0) await turns.markRunning(this.#db, unmarked)
    for (const call of unmarked) call.isMarked = true
    const current = new Set((await turns.listCurrent(this.#db, calls)).map(({ id, turn }) => `${id} ${turn}`))
    for (const call of calls) if (!current.has(`${call.id} ${call.turn}`)) call.abort()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }
}
