import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { splitting } from '#lib/splitting.ts'
import { type DatabasePool, isRowFault } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import { type AttemptResult, withoutTexts, writeEnd, writeResults } from './record-results.ts'

/** A result whose writer waits. */
interface PendingWrite {
  result: AttemptResult
  done: () => void
  failed: (error: Error) => void
}

/** Results in one transaction at most. */
const most = 200

/** Milliseconds for which results are kept that the database cannot take now. */
const keptMs = 10 * 60_000

/**
 * Writes results in groups: those that come while one transaction runs go into the next one. So many connections share one commit,
 * and no result waits for longer than a transaction takes. What was sent must not be forgotten, as it would be sent again: while the
 * database is away results are kept, and one that it does not take is written without its texts, by itself.
 */
export class OutcomeWriter {
  readonly #db: DatabasePool
  #waiting: PendingWrite[] = []
  #writing = false

  constructor(db: DatabasePool) {
    this.#db = db
  }

  /** Writes a result; resolves when it is committed. */
  write(result: AttemptResult): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ result, done, failed })
      if (!this.#writing) {
        this.#writing = true
        // Once all that this tick brings is there.
        setImmediate(() => void this.#work())
      }
    })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, most)
      await splitting(group, {
        write: async (part) => {
          await persist(this.#db, keptMs, (tx) =>
            writeResults(
              tx,
              part.map(({ result }) => result),
            ),
          )
          for (const { done } of part) done()
        },
        isOnes: isRowFault,
        failed: (part, error) => this.#settleAlone(part, error),
      })
    }
    this.#writing = false
  }

  /** Writes of a result what can be written: its end, without what the other side said; or else the end alone. */
  async #settleAlone(part: readonly PendingWrite[], fault: unknown): Promise<void> {
    const [only] = part
    if (!only || part.length > 1 || !isRowFault(fault)) {
      for (const { failed } of part) failed(fault as Error)
      return
    }
    const { result, done, failed } = only
    log.error({ err: describe(fault), message_id: result.message.id }, 'a delivery outcome is stored without its texts')
    const bare = withoutTexts(result)
    try {
      await persist(this.#db, keptMs, (tx) => writeResults(tx, [bare])).catch(async (error) => {
        if (!isRowFault(error)) throw error
        log.error(
          { err: describe(error), message_id: result.message.id },
          'a delivery outcome is stored in its own transaction',
        )
        await persist(this.#db, keptMs, (tx) => writeEnd(tx, bare))
      })
      done()
    } catch (error) {
      failed(error as Error)
    }
  }
}
