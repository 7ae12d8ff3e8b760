import { writeInHalves } from '#lib/splitting.ts'
import { makeDays } from '#sql/account/usage/request-days.ts'
import * as minuteRows from '#sql/account/usage/request-minutes.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { type DatabasePool, isRowFault, openPool } from '#sql/db.ts'
import type { Minutes } from './minutes.ts'
import type { Ring } from './ring.ts'

/** Maximum numbers of rows per statement, and of minute counts per statement. */
const [rowsAtOnce, minutesAtOnce] = [5_000, 1_000]

const daysMs = 3_600_000

/** Writes requests and counts on a separate connection. */
export class LogWriter {
  readonly #main: DatabasePool
  readonly #refused: (error: unknown) => void
  #opened: Promise<DatabasePool> | undefined
  #daysAt = Number.NEGATIVE_INFINITY

  /** `refused` is called with the error of each row that Postgres rejects. */
  constructor(main: DatabasePool, refused: (error: unknown) => void) {
    this.#main = main
    this.#refused = refused
  }

  async connect(): Promise<DatabasePool> {
    this.#opened ??= openPool(this.#main.configuration.connectionUri, 1, 5_000, 5_000)
    try {
      return await this.#opened
    } catch (error) {
      this.#opened = undefined
      throw error
    }
  }

  async makeDays(): Promise<void> {
    if (performance.now() - this.#daysAt <= daysMs) return
    await makeDays(await this.connect())
    this.#daysAt = performance.now()
  }

  async writeRows(ring: Ring<requests.Request>): Promise<void> {
    const db = await this.connect()
    while (ring.length > 0) {
      const rows = ring.first(rowsAtOnce)
      await writeInHalves(rows, {
        write: (part) => requests.write(db, part),
        isOnes: isRowFault,
        failed: (_, error) => {
          if (!isRowFault(error)) throw error
          this.#refused(error)
        },
      })
      ring.drop(rows.length)
    }
  }

  async writeMinutes(minutes: Minutes): Promise<void> {
    const db = await this.connect()
    for (;;) {
      const unwritten = minutes.unwritten(minutesAtOnce)
      if (unwritten.length > 0) await minuteRows.write(db, unwritten)
      minutes.written(unwritten)
      if (unwritten.length < minutesAtOnce) return
    }
  }

  async close(): Promise<void> {
    await this.#opened?.then((pool) => pool.end()).catch(() => {})
  }
}
