import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as shares from '#sql/jobs/backlogs.ts'
import { type Book, bookOf, books, forgetMs, known, nameOf, partsOf } from './backlog-cache.ts'
import type { Part } from './backlog-entry.ts'
import type { PoolName } from './pools.ts'

/** How often what changed is written and what is wanted is read, in milliseconds; never more than a tenth of the time. */
const flushMs = 200
/** Parts asked for within the last second are read with every flush, others every two seconds. */
const lateMs = 1_000
const slackMs = 2_000

/** Writes what a process enqueues and begins, and reads what it wants to know, in few statements a second. */
export class Shares {
  readonly #db: DatabasePool
  #database: string | undefined
  #begun = new Map<string, shares.Share>()
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(db: DatabasePool) {
    this.#db = db
    this.#schedule(flushMs)
  }

  /** Counts a job that waited and has begun. */
  begun(pool: PoolName, orgId: string, priority: number): void {
    const name = `${pool} ${orgId} ${priority}`
    const change = this.#begun.get(name)
    if (change) {
      change.waiting--
      change.begun++
    } else this.#begun.set(name, { pool, org_id: orgId, priority, waiting: -1, begun: 1 })
  }

  /** What is known of an organisation's part of a pool, a fraction of a second old. */
  async part(pool: PoolName, orgId: string): Promise<Part> {
    return known(pool, orgId) ?? ((await partsOf(this.#db, pool, new Set([orgId]))).get(orgId) as Part)
  }

  /** Writes down what is still unwritten. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#ticking
    await this.#flush().catch(quietly)
    if (this.#database !== undefined) bookOf(this.#database).keepers--
  }

  async #tick(): Promise<void> {
    const begun = performance.now()
    await this.#flush().catch(quietly)
    if (this.#stopped) return
    const pause = Math.max(flushMs, 10 * (performance.now() - begun))
    this.#schedule(pause)
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#ticking = this.#tick()
    }, ms).unref()
  }

  async #flush(): Promise<void> {
    if (this.#begun.size === 0 && books.size === 0) return
    const book = await this.#open()
    if (book.flushing) return
    book.flushing = true
    try {
      await this.#write(book)
      await this.#read(book)
    } finally {
      book.flushing = false
    }
  }

  async #open(): Promise<Book> {
    if (this.#database === undefined) {
      this.#database = await shares.databaseName(this.#db)
      bookOf(this.#database).keepers++
    }
    return bookOf(this.#database)
  }

  async #write(book: Book): Promise<void> {
    const begun = this.#begun
    this.#begun = new Map()
    const parts = [...book.parts.values()].filter((part) => !part.isWritten)
    try {
      await shares.add(this.#db, summed([...parts.flatMap((part) => part.send()), ...begun.values()]))
      for (const part of parts) part.written()
    } catch (error) {
      for (const part of parts) part.failed()
      for (const [name, change] of this.#begun) begun.set(name, sum(begun.get(name), change))
      this.#begun = begun
      throw error
    }
  }

  async #read(book: Book): Promise<void> {
    const now = performance.now()
    const due: Part[] = []
    for (const [name, part] of book.parts) {
      const idle = now - part.wantedAt
      if (idle > forgetMs) book.parts.delete(name)
      else if (idle < lateMs || now - part.readAt > slackMs) due.push(part)
    }
    if (due.length === 0) return
    const wanted = due.map(({ pool, orgId }) => ({ pool, org_id: orgId }))
    const found = await shares.find(this.#db, wanted)
    const rows = Map.groupBy(found.shares, ({ pool, org_id }) => nameOf(pool, org_id))
    for (const part of due) part.read(rows.get(nameOf(part.pool, part.orgId)) ?? [], now)
  }
}

const quietly = (error: Error) => log.debug({ err: error.message }, 'shares not written')

const sum = (a: shares.Share | undefined, b: shares.Share): shares.Share =>
  a ? { ...a, waiting: a.waiting + b.waiting, begun: a.begun + b.begun } : b

/** One change for each row, as a statement can change a row only once. */
function summed(changes: shares.Share[]): shares.Share[] {
  const rows = new Map<string, shares.Share>()
  for (const change of changes) {
    const name = `${change.pool} ${change.org_id} ${change.priority}`
    rows.set(name, sum(rows.get(name), change))
  }
  return [...rows.values()]
}
