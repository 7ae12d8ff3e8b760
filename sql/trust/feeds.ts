import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'trust',
  'feeds',
  z.object({
    id: z.number(),
    name: z.string(),
    kind: z.enum(['list', 'urlhaus', 'safe_browsing']),
    url: z.string().nullable(),
    category: z.string(),
    every_seconds: z.number(),
    stale_after_seconds: z.number(),
    entries: z.number(),
    left_out: z.number(),
    etag: z.string().nullable(),
    last_modified: z.string().nullable(),
    imported_at: z.date().nullable(),
    checked_at: z.date().nullable(),
    next_at: z.date().nullable(),
    failures: z.number(),
    failed_at: z.date().nullable(),
    error: z.string().nullable(),
    created_at: z.date(),
  }),
)

export type Feed = z.infer<typeof table.Row>

export type NewFeed = Pick<Feed, 'name' | 'kind' | 'url' | 'category' | 'every_seconds' | 'stale_after_seconds'>

/** Validators from the feed’s server for conditional requests. */
export interface Validators {
  etag: string | null
  last_modified: string | null
}

export async function list(db: Db): Promise<readonly Feed[]> {
  return await db.any(sql.type(table.Row)`select ${table.columns()} from trust.feeds order by name`)
}

export async function find(db: Db, id: number): Promise<Feed | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from trust.feeds where id = ${id}`)
}

export async function findByName(db: Db, name: string): Promise<Feed | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from trust.feeds where name = ${name}`)
}

/**
 * Adds a feed. If the feed has a URL, it is due immediately. An existing feed with the name gets the new settings and
 * keeps its entries.
 */
export async function put(db: Db, feed: NewFeed): Promise<Feed> {
  return await db.one(sql.type(table.Row)`
    ${table.insert(feed)}
    on conflict (name) do update set kind = excluded.kind, url = excluded.url, category = excluded.category,
      every_seconds = excluded.every_seconds, stale_after_seconds = excluded.stale_after_seconds,
      etag = null, last_modified = null, next_at = now()
    returning ${table.columns()}`)
}

export async function ensure(db: Db, feed: NewFeed): Promise<void> {
  await db.query(sql.typeAlias('void')`
    ${table.insert(feed)} on conflict (name) do nothing`)
}

export async function remove(db: Db, name: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const gone = await tx.maybeOneFirst(sql.type(table.Row.pick({ id: true }))`
      delete from trust.feeds where name = ${name} returning id`)
    if (gone === null) return false
    await tx.query(sql.typeAlias('void')`delete from trust.entries where feed_id = ${gone}`)
    await tx.query(sql.typeAlias('void')`delete from trust.staging where feed_id = ${gone}`)
    return true
  })
}

/** Returns the feeds that are due, and schedules each one interval later. */
export async function takeDue(tx: Db, limit: number): Promise<readonly number[]> {
  return await tx.anyFirst(sql.type(table.Row.pick({ id: true }))`
    update trust.feeds set next_at = now() + every_seconds * interval '1 second'
    where id in (
      select id from trust.feeds where next_at <= now() and url is not null order by next_at limit ${limit}
      for update skip locked)
    returning id`)
}

export async function markUnchanged(db: Db, id: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update trust.feeds set checked_at = now(), failures = 0, error = null where id = ${id}`)
}

/** Records that an import failed. Schedules a retry before the next interval: after 1, 2, 4, … minutes. */
export async function saveFailure(db: Db, id: number, error: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update trust.feeds set failures = failures + 1, failed_at = now(), error = ${error},
      next_at = now() + least(every_seconds, 60 * 2 ^ least(failures, 12)) * interval '1 second'
    where id = ${id}`)
}

/** Delays a feed by at least the time that it requested. */
export async function postpone(db: Db, id: number, seconds: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update trust.feeds set next_at = greatest(next_at, now() + ${seconds} * interval '1 second') where id = ${id}`)
}
