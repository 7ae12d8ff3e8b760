import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#lib/storage/storage.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { startImport } from '#tasks/erp/rules/start-import.ts'

/** Something that was accepted: a row, its job and its object in storage. When it was asked for and answered, in milliseconds. */
export interface Accepted {
  id: string
  asked: number
  answered: number
}

/** What is there of a load's items in the end. */
export interface Ledger {
  accepted: Accepted[]
  /** Items that were asked for and never answered: they may be there or not. */
  unanswered: number
}

/** A steady load on a database: files of companies that operators give to be imported. */
export class Load {
  readonly ledger: Ledger
  readonly #stopping = new AbortController()
  #ended: Promise<void> = Promise.resolve()

  /** Goes on with a ledger, if there is one. */
  constructor(ledger: Ledger = { accepted: [], unanswered: 0 }) {
    this.ledger = ledger
  }

  /** Begins, `rate` items a second. */
  async start(url: string, storage: Storage, folder: string, rate: number): Promise<void> {
    const path = join(folder, 'companies.csv')
    await writeFile(path, 'name,jurisdiction\nAcme,GB\n')
    const db = await openPool(url, 8)
    this.#ended = this.#run({ db, storage, path }, 1000 / rate).finally(() => db.end())
  }

  /** Ends; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#ended
  }

  async #run(means: { db: DatabasePool; storage: Storage; path: string }, every: number): Promise<void> {
    const underWay = new Set<Promise<void>>()
    while (!this.#stopping.signal.aborted) {
      const one = this.#add(means).finally(() => underWay.delete(one))
      underWay.add(one)
      await pause(every)
      if (underWay.size >= 8) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  }

  async #add({ db, storage, path }: { db: DatabasePool; storage: Storage; path: string }): Promise<void> {
    const options = { partial: true, anyway: false }
    const asked = performance.now()
    try {
      const wanted = { path, profile: 'generic' as const, register: 'backup', options, actor: 'backup' }
      const id = await startImport(db, storage, wanted)
      this.ledger.accepted.push({ id, asked, answered: performance.now() })
    } catch {
      this.ledger.unanswered++
    }
  }
}
