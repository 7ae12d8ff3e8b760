import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#lib/storage/storage.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { startImport } from '#tasks/erp/rules/start-import.ts'

/**
 * An accepted item: a row, its job and its object in storage, with the times of request and response in milliseconds.
 */
export interface AcceptedItem {
  id: string
  asked: number
  answered: number
}

export interface Ledger {
  accepted: AcceptedItem[]
  /** Number of items without a response. They may or may not exist. */
  unanswered: number
}

export class Load {
  readonly ledger: Ledger
  readonly #stopping = new AbortController()
  #ended: Promise<void> = Promise.resolve()

  constructor(ledger: Ledger = { accepted: [], unanswered: 0 }) {
    this.ledger = ledger
  }

  async start(url: string, storage: Storage, folder: string, rate: number): Promise<void> {
    const path = join(folder, 'companies.csv')
    await writeFile(path, 'name,jurisdiction\nAcme,GB\n')
    const db = await openPool(url, 8)
    this.#ended = this.#run({ db, storage, path }, 1000 / rate).finally(() => db.end())
  }

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
