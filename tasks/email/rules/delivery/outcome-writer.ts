import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type DatabasePool, isRowFault } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import { type AttemptResult, withoutTexts, writeResults, writeStatusOnly } from './record-results.ts'

interface PendingWrite {
  result: AttemptResult
  done: () => void
  failed: (error: Error) => void
}

const most = 200

/** Time in milliseconds for which results are kept while the database is unavailable. */
const keptMs = 10 * 60_000

/**
 * Writes results in groups. Results that arrive during a transaction are written in the next transaction, so many
 * connections share a commit. Results must not be lost, because the message would be sent again. While the database is
 * unavailable, results are kept in memory. A result that the database rejects is written alone, without its strings.
 */
export class OutcomeWriter {
  readonly #db: DatabasePool
  #waiting: PendingWrite[] = []
  #writing = false

  constructor(db: DatabasePool) {
    this.#db = db
  }

  /** Resolves when the result is committed. */
  write(result: AttemptResult): Promise<void> {
    return new Promise((done, failed) => {
      this.#waiting.push({ result, done, failed })
      if (!this.#writing) {
        this.#writing = true
        // Runs after all results of this tick have arrived.
        setImmediate(() => void this.#work())
      }
    })
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, most)
      await writeInHalves(group, {
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

  /** Writes the status without the server’s text. If that fails, writes only the status. */
  async #settleAlone(part: readonly PendingWrite[], fault: unknown): Promise<void> {
    const [only] = part
    if (!only || part.length > 1 || !isRowFault(fault)) {
      for (const { failed } of part) failed(fault as Error)
      return
    }
    const { result, done, failed } = only
    log.error({ err: describe(fault), message_id: result.message.id }, 'stored a delivery outcome without its text')
    const bare = withoutTexts(result)
    try {
      await persist(this.#db, keptMs, (tx) => writeResults(tx, [bare])).catch(async (error) => {
        if (!isRowFault(error)) throw error
        log.error(
          { err: describe(error), message_id: result.message.id },
          'stored a delivery outcome in its own transaction',
        )
        await persist(this.#db, keptMs, (tx) => writeStatusOnly(tx, bare))
      })
      done()
    } catch (error) {
      failed(error as Error)
    }
  }
}
