import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { schema } from './schema.ts'

/**
 * The only source of truth for the stored data: an object, a part or a deletion exists when its transaction is in
 * SQLite’s write-ahead log.
 *
 * SQLite would wait for the disk within COMMIT and block all other requests. The ledger therefore runs with
 * `synchronous=normal`, and the log is flushed here, outside the main thread, once for all waiting requests.
 */
export class Ledger {
  readonly #database: DatabaseSync
  readonly #log: FileHandle
  readonly #statements = new Map<string, StatementSync>()
  #running: Promise<void> | undefined
  #following: Promise<void> | undefined

  private constructor(database: DatabaseSync, log: FileHandle) {
    this.#database = database
    this.#log = log
  }

  /** Opens the ledger of a folder exclusively. Throws if another process has it open. */
  static async open(dir: string): Promise<Ledger> {
    const file = join(dir, 'ledger.db')
    const database = new DatabaseSync(file, { timeout: 0 })
    try {
      database.exec('pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = normal;')
      database.exec(schema)
      return new Ledger(database, await open(`${file}-wal`, 'r+'))
    } catch (cause) {
      database.close()
      throw new Error(`cannot open ${file}; is another object store using it?`, { cause })
    }
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  /**
   * Runs `work` in a transaction. Its changes survive a crash of this process, but they survive a crash of the machine
   * only after a `flush`.
   */
  transaction<Result>(work: () => Result): Result {
    this.#database.exec('begin immediate')
    try {
      const result = work()
      this.#database.exec('commit')
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  async commit<Result>(work: () => Result): Promise<Result> {
    const result = this.transaction(work)
    await this.#flush()
    return result
  }

  async close(): Promise<void> {
    await this.#following
    await this.#running
    this.#database.close()
    await this.#log.close()
  }

  /** A running flush can have started before the caller’s changes, so the caller waits for the next one. */
  #flush(): Promise<void> {
    if (!this.#running) return this.#start()
    this.#following ??= this.#running.then(
      () => this.#start(),
      () => this.#start(),
    )
    return this.#following
  }

  #start(): Promise<void> {
    this.#following = undefined
    const flush = this.#log.datasync().finally(() => {
      if (this.#running === flush) this.#running = undefined
    })
    this.#running = flush
    return flush
  }
}
