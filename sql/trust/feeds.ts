import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { scheduleColumns, scheduledSources } from '../sources/schedule.ts'
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
    stale_after_seconds: z.number(),
    entries: z.number(),
    left_out: z.number(),
    imported_at: z.date().nullable(),
    next_at: z.date().nullable(),
    ...scheduleColumns,
  }),
)

export type Feed = z.infer<typeof table.Row>

export type NewFeed = Pick<Feed, 'name' | 'kind' | 'url' | 'category' | 'every_seconds' | 'stale_after_seconds'>

const scheduled = scheduledSources(table, z.number())

export const { list, find, findByName, markUnchanged, saveFailure } = scheduled

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
export const takeDue = (tx: Db, limit: number): Promise<readonly number[]> =>
  scheduled.takeDue(tx, { where: sql.fragment`s.url is not null`, limit: sql.fragment`${limit}` })

/** Delays a feed by at least the time that it requested. */
export async function postpone(db: Db, id: number, seconds: number): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update trust.feeds set next_at = greatest(next_at, now() + ${seconds} * interval '1 second') where id = ${id}`)
}
