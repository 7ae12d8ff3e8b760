import { type Db, getDatabaseObject } from '#sql/db.ts'
import * as backlogs from '#sql/jobs/backlogs.ts'
import type { PoolName } from '../pools.ts'
import { BacklogEntry } from './backlog-entry.ts'
import { checkPriority, getPriorityColumn } from './fairness.ts'

/** Time in milliseconds after its last use at which an entry is removed. */
export const forgetMs = 60_000
const staleMs = 5_000

const caches = new WeakMap<object, BacklogCache>()

export function getBacklogCache(db: Db): BacklogCache {
  const database = getDatabaseObject(db)
  const cache = caches.get(database) ?? new BacklogCache()
  caches.set(database, cache)
  return cache
}

export interface JobPlacement {
  orgId: string | undefined
  priority: number | undefined
  at: Date | undefined
}

/** Number of waiting jobs per organisation and pool of one database, as known to this process. */
export class BacklogCache {
  readonly #entries = new Map<string, BacklogEntry>()
  /** Number of periodic synchronisations. Without synchronisations, an entry is used until it is removed. */
  syncs = 0
  syncing = false

  get entries(): BacklogEntry[] {
    return [...this.#entries.values()]
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  delete({ pool, orgId }: BacklogEntry): void {
    this.#entries.delete(nameOf(pool, orgId))
  }

  fresh(pool: string, orgId: string): BacklogEntry | undefined {
    const entry = this.#entries.get(nameOf(pool, orgId))
    if (!entry) return undefined
    const now = performance.now()
    entry.wantedAt = now
    return now - entry.readAt > (this.syncs > 0 ? staleMs : forgetMs) ? undefined : entry
  }

  /** Returns the entries of organisations in a pool, by ID. Reads all outdated entries in one statement. */
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

  /**
   * Returns the value of the queue’s priority column for each job in the caller’s transaction. From now on, due jobs
   * count as waiting.
   */
  async place(tx: Db, pool: PoolName, jobs: readonly JobPlacement[]): Promise<number[]> {
    const orgIds = new Set(jobs.flatMap(({ orgId }) => orgId ?? []))
    const entries = orgIds.size > 0 ? await this.find(tx, pool, orgIds) : undefined
    const now = Date.now()
    return jobs.map(({ orgId, priority: asked = 0, at }) => {
      const priority = checkPriority(asked)
      const entry = orgId === undefined ? undefined : entries?.get(orgId)
      if (!entry) return priority
      const column = getPriorityColumn(priority, entry.waiting(priority))
      if (at === undefined || at.getTime() <= now) entry.count(priority, 1)
      return column
    })
  }

  /** Removes jobs from the count if they only replaced waiting jobs. */
  unplace(pool: PoolName, jobs: readonly JobPlacement[]): void {
    for (const { orgId, priority = 0 } of jobs) {
      if (orgId !== undefined) this.fresh(pool, orgId)?.count(priority, -1)
    }
  }
}

const nameOf = (pool: string, orgId: string) => `${pool} ${orgId}`
