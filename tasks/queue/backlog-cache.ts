import { LRUCache } from 'lru-cache'
import type { Db } from '#sql/db.ts'
import * as shares from '#sql/jobs/backlogs.ts'
import { Part } from './backlog-entry.ts'
import { checkPriority, placed } from './fairness.ts'
import type { PoolName } from './pools.ts'

/** A part nobody asked for in this many milliseconds is forgotten. */
export const forgetMs = 60_000
/** What is older is read again before it is believed. */
const staleMs = 5_000

/** What this process knows of one database. */
export interface Book {
  parts: Map<string, Part>
  /** Those who write it down; where nobody does, it is believed for as long as it is remembered. */
  keepers: number
  flushing: boolean
}

/** What this process knows, by database. */
export const books = new Map<string, Book>()
/** Where an organisation was found: a transaction does not say which database it is of. */
const homes = new LRUCache<string, Book>({ max: 100_000 })

/** A part's name in its book. */
export const nameOf = (pool: string, orgId: string) => `${pool} ${orgId}`

/** The book of a database, by its name. */
export function bookOf(database: string): Book {
  const book = books.get(database) ?? { parts: new Map(), keepers: 0, flushing: false }
  books.set(database, book)
  return book
}

/** An organisation's part of a pool as this process knows it, if it was read lately. */
export function known(pool: string, orgId: string): Part | undefined {
  const book = homes.get(orgId)
  const part = book?.parts.get(nameOf(pool, orgId))
  if (!part) return undefined
  const now = performance.now()
  part.wantedAt = now
  return now - part.readAt > (book?.keepers ? staleMs : forgetMs) ? undefined : part
}

/** Organisations' parts of a pool, by their ids; those not known are read, in one statement. */
export async function partsOf(db: Db, pool: string, orgIds: ReadonlySet<string>): Promise<Map<string, Part>> {
  const found = new Map<string, Part>()
  const missing: shares.Part[] = []
  for (const orgId of orgIds) {
    const part = known(pool, orgId)
    if (part) found.set(orgId, part)
    else missing.push({ pool, org_id: orgId })
  }
  if (missing.length === 0) return found
  const at = performance.now()
  const { database, shares: rows } = await shares.find(db, missing)
  const book = bookOf(database)
  for (const { org_id } of missing) {
    const name = nameOf(pool, org_id)
    const part = book.parts.get(name) ?? new Part(pool, org_id)
    if (book.keepers === 0 && at - part.readAt > forgetMs) part.forgetUnsent()
    part.wantedAt = at
    part.read(
      rows.filter((row) => row.org_id === org_id),
      at,
    )
    book.parts.set(name, part)
    homes.set(org_id, book)
    found.set(org_id, part)
  }
  return found
}

/** A job about to be enqueued. */
export interface Placing {
  orgId: string | undefined
  priority: number | undefined
  at: Date | undefined
}

/** The queue's priority column of each job, in the caller's transaction; from here on they count as waiting if they are due. */
export async function place(tx: Db, pool: PoolName, jobs: readonly Placing[]): Promise<number[]> {
  const orgIds = new Set(jobs.flatMap(({ orgId }) => orgId ?? []))
  const parts = orgIds.size > 0 ? await partsOf(tx, pool, orgIds) : undefined
  const now = Date.now()
  return jobs.map(({ orgId, priority: asked = 0, at }) => {
    const priority = checkPriority(asked)
    const part = orgId === undefined ? undefined : parts?.get(orgId)
    if (!part) return priority
    const column = placed(priority, part.waiting(priority))
    if (at === undefined || at.getTime() <= now) part.count(priority, 1)
    return column
  })
}

/** Counts out jobs that only took the place of ones that waited. */
export function unplace(pool: PoolName, jobs: readonly Placing[]): void {
  for (const { orgId, priority = 0 } of jobs) {
    if (orgId !== undefined) known(pool, orgId)?.count(priority, -1)
  }
}
