import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { table as entries } from './entries.ts'
import type { Validators } from './feeds.ts'

/** What an import has read, before it takes effect. */
export interface StagedEntry {
  prefix: number
  hash: Buffer
  exact: boolean
  category: string
  detail: string | null
  first_seen: Date | null
}

/** A feed would lose so much that its file is taken for broken; the message says how much. */
export class ShrunkFeed extends Error {
  override name = 'ShrunkFeed'
}

/** What an import has come to. */
export interface Exchange {
  feedId: number
  /** Entries that it has read. */
  staged: number
  leftOut: number
  validators: Validators
  anyway: boolean
}

const Counts = z.object({ before: z.number(), after: z.number(), kept: z.number() })

/** The longest that the exchange of a feed's entries may take: a million rows take some ten seconds. */
const exchangeMs = 10 * 60_000

/** Keeps what an import has read so far. */
export async function add(db: Db, importId: string, feedId: number, read: readonly StagedEntry[]): Promise<void> {
  const now = new Date()
  const rows = read.map(({ prefix, hash, exact, category, detail, first_seen }) => [
    ...[prefix, hash, exact, category, detail],
    (first_seen ?? now).toISOString(),
  ])
  await db.query(sql.prepared('trust_staging.add', z.object({}))`
    insert into trust.staging (import_id, feed_id, prefix, hash, exact, category, detail, first_seen)
    select ${importId}, ${feedId}::int4, r.* from ${sql.unnest(rows, ['int4', 'bytea', 'bool', 'text', 'text', 'timestamptz'])} as r`)
}

/** Deletes what imports of a feed have read that did not come to their end. */
export async function discard(db: Db, feedId: number): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from trust.staging where feed_id = ${feedId}`)
}

/**
 * Puts what an import has read in place of a feed's entries, at once; what stays listed keeps when it was first seen. Throws
 * `Shrunk` when more than half of the entries would go, unless `anyway`. Returns how many there are now.
 */
export async function exchange(
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
  // The table is unlogged: a crash of Postgres empties it, and the import's next batch would not know.
  if (kept !== staged) throw new Error(`${staged} entries were read, but ${kept} were stored.`)
  if (!anyway && after * 2 < before) throw new ShrunkFeed(`The new list has ${after} entries, the old one ${before}.`)
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
  await discard(tx, feedId)
  await tx.query(sql.typeAlias('void')`
    update trust.feeds set entries = ${after}, left_out = ${leftOut}, imported_at = now(), checked_at = now(),
      etag = ${validators.etag}, last_modified = ${validators.last_modified}, failures = 0, error = null
    where id = ${feedId}`)
  return after
}
