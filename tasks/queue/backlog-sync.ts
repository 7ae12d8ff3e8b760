import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as backlogs from '#sql/jobs/backlogs.ts'
import type { PoolName } from '../pools.ts'
import { type BacklogCache, forgetMs, getBacklogCache } from './backlog-cache.ts'
import type { BacklogEntry } from './backlog-entry.ts'

/** Interval in milliseconds between synchronisations. They use at most a tenth of the time. */
const syncMs = 200
/** Entries that were used within the last second are read each time, other entries every two seconds. */
const wantedMs = 1_000
const unwantedMs = 2_000

/** Synchronises a process’s backlog cache with the database, with few statements per second. */
export class BacklogSync {
  readonly #db: DatabasePool
  readonly #cache: BacklogCache
  #begun = new Map<string, backlogs.Backlog>()
  #timer: NodeJS.Timeout | undefined
  #ticking: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(db: DatabasePool) {
    this.#db = db
    this.#cache = getBacklogCache(db)
    this.#cache.syncs++
    this.#schedule(syncMs)
  }

  begun(pool: PoolName, orgId: string, priority: number): void {
    const change: backlogs.Backlog = { pool, org_id: orgId, priority, waiting: -1, begun: 1 }
    const name = nameOf(change)
    this.#begun.set(name, sum(this.#begun.get(name), change))
  }

  async entry(pool: PoolName, orgId: string): Promise<BacklogEntry> {
    const fresh = this.#cache.fresh(pool, orgId)
    return fresh ?? ((await this.#cache.find(this.#db, pool, new Set([orgId]))).get(orgId) as BacklogEntry)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#ticking
    await this.#sync().catch(quietly)
    this.#cache.syncs--
  }

  async #tick(): Promise<void> {
    const begun = performance.now()
    await this.#sync().catch(quietly)
    if (!this.#stopped) this.#schedule(Math.max(syncMs, 10 * (performance.now() - begun)))
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#ticking = this.#tick()
    }, ms).unref()
  }

  async #sync(): Promise<void> {
    const cache = this.#cache
    if (cache.syncing || (this.#begun.size === 0 && cache.isEmpty)) return
    cache.syncing = true
    try {
      await this.#write()
      await this.#read()
    } finally {
      cache.syncing = false
    }
  }

  async #write(): Promise<void> {
    const begun = this.#begun
    this.#begun = new Map()
    const changed = this.#cache.entries.filter((entry) => !entry.isWritten)
    try {
      await backlogs.add(this.#db, summed([...changed.flatMap((entry) => entry.send()), ...begun.values()]))
      for (const entry of changed) entry.written()
    } catch (error) {
      for (const entry of changed) entry.failed()
      for (const [name, change] of this.#begun) begun.set(name, sum(begun.get(name), change))
      this.#begun = begun
      throw error
    }
  }

  async #read(): Promise<void> {
    const now = performance.now()
    const due: BacklogEntry[] = []
    for (const entry of this.#cache.entries) {
      const idle = now - entry.wantedAt
      if (idle > forgetMs) this.#cache.delete(entry)
      else if (idle < wantedMs || now - entry.readAt > unwantedMs) due.push(entry)
    }
    if (due.length === 0) return
    const keys = due.map(({ pool, orgId }) => ({ pool, org_id: orgId }))
    const rows = Map.groupBy(await backlogs.find(this.#db, keys), ({ pool, org_id }) => `${pool} ${org_id}`)
    for (const entry of due) entry.read(rows.get(`${entry.pool} ${entry.orgId}`) ?? [], now)
  }
}

const quietly = (error: Error) => log.debug({ err: error.message }, 'backlogs could not be written or read')

const nameOf = ({ pool, org_id, priority }: backlogs.Backlog) => `${pool} ${org_id} ${priority}`

const sum = (a: backlogs.Backlog | undefined, b: backlogs.Backlog): backlogs.Backlog =>
  a ? { ...a, waiting: a.waiting + b.waiting, begun: a.begun + b.begun } : b

/** Combines changes to the same row, because a statement can change a row only once. */
function summed(changes: backlogs.Backlog[]): backlogs.Backlog[] {
  const rows = new Map<string, backlogs.Backlog>()
  for (const change of changes) rows.set(nameOf(change), sum(rows.get(nameOf(change)), change))
  return [...rows.values()]
}
