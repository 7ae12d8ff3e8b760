import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import type { Validators } from '../sources/schedule.ts'
import { table as entries } from './entries.ts'

/** An imported entry before it takes effect. */
export interface StagedEntry {
  prefix: number
  hash: Buffer
  exact: boolean
  category: string
  detail: string | null
  first_seen: Date | null
}

/** Thrown if a feed would lose so many entries that its file is probably damaged. The message contains the numbers. */
export class ShrunkFeedError extends Error {
  override name = 'ShrunkFeedError'
}

export interface Exchange {
  feedId: number
  staged: number
  leftOut: number
  validators: Validators
  anyway: boolean
}

const Counts = z.object({ before: z.number(), after: z.number(), kept: z.number() })

/** Timeout for replacing a feed’s entries, in milliseconds. A million rows take about ten seconds. */
const exchangeMs = 10 * 60_000

export async function addStaged(db: Db, importId: string, feedId: number, read: readonly StagedEntry[]): Promise<void> {
  const now = new Date()
  const rows = read.map(({ prefix, hash, exact, category, detail, first_seen }) => [
    ...[prefix, hash, exact, category, detail],
    (first_seen ?? now).toISOString(),
  ])
  await db.query(sql.prepared('trust_staging.add', z.object({}))`
    insert into trust.staging (import_id, feed_id, prefix, hash, exact, category, detail, first_seen)
    select ${importId}, ${feedId}::int4, r.* from ${sql.unnest(rows, ['int4', 'bytea', 'bool', 'text', 'text', 'timestamptz'])} as r`)
}

/** Deletes parts of unfinished imports of a feed. */
export async function discardStaged(db: Db, feedId: number): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from trust.staging where feed_id = ${feedId}`)
}

/**
 * Replaces a feed’s entries with an import. Entries that stay keep the time when they were first seen. Throws
 * `ShrunkFeedError` if more than half of the entries would be removed, unless `anyway`. Returns the new number of entries.
 */
export async function exchangeEntries(
  tx: Db,
  importId: string,
  { feedId, staged, leftOut, validators, anyway }: Exchange,
): Promise<number> {
  await tx.query(sql.unsafe`set local statement_timeout = ${sql.literalValue(String(exchangeMs))}`)
  await tx.query(sql.typeAlias('void')`select from trust.feeds where id = ${feedId} for update`)
  await tx.query(sql.typeAlias('void')`analyze trust.staging`)
  const { before, after, kept } = await tx.one(sql.type(Counts)`
    select f.entries as before, s.after, s.kept
    from trust.feeds as f, (
      select count(*) as after, coalesce(sum(copies), 0)::int8 as kept from (
        select count(*) as copies from trust.staging where import_id = ${importId} group by prefix, hash) as g) as s
    where f.id = ${feedId}`)
  // The table is unlogged: if Postgres crashes, the table becomes empty, and the next batch would not detect this.
  if (kept !== staged) throw new Error(`${staged} entries were read, but ${kept} were stored.`)
  if (!anyway && after * 2 < before)
    throw new ShrunkFeedError(`The new list has ${after} entries, the old one ${before}.`)
  await tx.query(sql.typeAlias('void')`
    delete from trust.entries as e where feed_id = ${feedId} and not exists (
      select from trust.staging as s where s.import_id = ${importId} and s.prefix = e.prefix and s.hash = e.hash)`)
  await tx.query(sql.typeAlias('void')`
    insert into trust.entries as e (${entries.columns()})
    select prefix, hash, ${feedId}::int4, bool_and(exact), min(category), min(detail), min(first_seen)
    from trust.staging where import_id = ${importId} group by prefix, hash
    on conflict (prefix, hash, feed_id) do update
      set exact = excluded.exact, category = excluded.category, detail = excluded.detail
      where (e.exact, e.category, e.detail) is distinct from (excluded.exact, excluded.category, excluded.detail)`)
  await discardStaged(tx, feedId)
  await tx.query(sql.typeAlias('void')`
    update trust.feeds set entries = ${after}, left_out = ${leftOut}, imported_at = now(), checked_at = now(),
      etag = ${validators.etag}, last_modified = ${validators.last_modified}, failures = 0, error = null
    where id = ${feedId}`)
  return after
}
