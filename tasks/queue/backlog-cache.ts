import { type Db, databaseOf } from '#sql/db.ts'
import * as backlogs from '#sql/jobs/backlogs.ts'
import type { PoolName } from '../pools.ts'
import { BacklogEntry } from './backlog-entry.ts'
import { checkPriority, placed } from './fairness.ts'

/** An entry that nobody asked for in this many milliseconds is forgotten. */
export const forgetMs = 60_000
/** What is older is read again before it is used. */
const staleMs = 5_000

const caches = new WeakMap<object, BacklogCache>()

/** What this process knows of the backlogs in a database, by any pool or transaction of it. */
export function backlogCacheOf(db: Db): BacklogCache {
  const database = databaseOf(db)
  const cache = caches.get(database) ?? new BacklogCache()
  caches.set(database, cache)
  return cache
}

/** A job about to be enqueued. */
export interface JobPlacement {
  orgId: string | undefined
  priority: number | undefined
  at: Date | undefined
}

/** What a process knows of what organisations have waiting in each pool of one database. */
export class BacklogCache {
  readonly #entries = new Map<string, BacklogEntry>()
  /** How many write and read it regularly; without any, it is used for as long as it is remembered. */
  syncs = 0
  /** Whether one of them is at it. */
  syncing = false

  get entries(): BacklogEntry[] {
    return [...this.#entries.values()]
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  /** Forgets an entry. */
  delete({ pool, orgId }: BacklogEntry): void {
    this.#entries.delete(nameOf(pool, orgId))
  }

  /** An organisation's entry in a pool, if it was read lately. */
  fresh(pool: string, orgId: string): BacklogEntry | undefined {
    const entry = this.#entries.get(nameOf(pool, orgId))
    if (!entry) return undefined
    const now = performance.now()
    entry.wantedAt = now
    return now - entry.readAt > (this.syncs > 0 ? staleMs : forgetMs) ? undefined : entry
  }

  /** Organisations' entries in a pool, by their ids; those that are not fresh are read, in one statement. */
  async find(db: Db, pool: string, orgIds: ReadonlySet<string>): Promise<Map<string, BacklogEntry>> {
    const found = new Map<string, BacklogEntry>()
    const missing: backlogs.BacklogKey[] = []
    for (const orgId of orgIds) {
      const entry = this.fresh(pool, orgId)
      if (entry) found.set(orgId, entry)
      else missing.push({ pool, org_id: orgId })
    }
    if (missing.length === 0) return found
    const at = performance.now()
    const rows = Map.groupBy(await backlogs.find(db, missing), ({ org_id }) => org_id)
    for (const { org_id } of missing) {
      const name = nameOf(pool, org_id)
      const entry = this.#entries.get(name) ?? new BacklogEntry(pool, org_id)
      if (this.syncs === 0 && at - entry.readAt > forgetMs) entry.forgetUnsent()
      entry.wantedAt = at
      entry.read(rows.get(org_id) ?? [], at)
      this.#entries.set(name, entry)
      found.set(org_id, entry)
    }
    return found
  }

  /** The queue's priority column of each job, in the caller's transaction; from here on they count as waiting if they are due. */
  async place(tx: Db, pool: PoolName, jobs: readonly JobPlacement[]): Promise<number[]> {
    const orgIds = new Set(jobs.flatMap(({ orgId }) => orgId ?? []))
    const entries = orgIds.size > 0 ? await this.find(tx, pool, orgIds) : undefined
    const now = Date.now()
    return jobs.map(({ orgId, priority: asked = 0, at }) => {
      const priority = checkPriority(asked)
      const entry = orgId === undefined ? undefined : entries?.get(orgId)
      if (!entry) return priority
      const column = placed(priority, entry.waiting(priority))
      if (at === undefined || at.getTime() <= now) entry.count(priority, 1)
      return column
    })
  }

  /** Counts out jobs that only took the place of ones that waited. */
  unplace(pool: PoolName, jobs: readonly JobPlacement[]): void {
    for (const { orgId, priority = 0 } of jobs) {
      if (orgId !== undefined) this.fresh(pool, orgId)?.count(priority, -1)
    }
  }
}

const nameOf = (pool: string, orgId: string) => `${pool} ${orgId}`
