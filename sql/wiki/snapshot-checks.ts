import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { type Capture, pageEnds, readingVersion } from './snapshots.ts'

/** Requested snapshots that were identical to an existing one. */
export const table = defineTable(
  'wiki',
  'snapshot_checks',
  z.object({ id: Id, snapshot_id: Id, checked_at: z.date() }),
  { retention: days(30, 'checked_at') },
)

const SameSnapshot = z.object({ id: Id, has_bytes: z.boolean() })

/**
 * Returns the last successful snapshot with the same bytes or the same visible words, locked until the transaction
 * ends.
 */
export async function findIdentical(
  db: Db,
  sourceId: string,
  { sha256, text_sha256, normal_text }: Pick<Capture, 'sha256' | 'text_sha256' | 'normal_text'>,
): Promise<z.infer<typeof SameSnapshot> | null> {
  return await db.maybeOne(sql.type(SameSnapshot)`
    select id, bytes_pruned_at is null or sha256 <> ${sha256} as has_bytes from wiki.snapshots
    where source_id = ${sourceId} and status = 'ok'
      and (sha256 = ${sha256} or (text_sha256 = ${text_sha256} and normal_text = ${normal_text}))
    order by sha256 = ${sha256} desc, coalesce(last_checked_at, captured_at) desc, id desc limit 1 for update`)
}

/**
 * Merges a pending snapshot into an existing snapshot, which gets its references and is read again. The pending ID then
 * leads to the existing snapshot. With `bytes`, the bytes are stored again. Returns false if the pending snapshot has
 * already ended.
 */
export async function mergeInto(
  tx: Db,
  pendingId: string,
  sameId: string,
  { text, text_length, normal_text, page_ends, sha256 }: Capture,
): Promise<boolean> {
  const still = await tx.exists(sql.type(table.Row.pick({ id: true }))`
    select id from wiki.snapshots where id = ${pendingId} and status = 'pending' for update`)
  if (!still) return false
  await tx.query(sql.typeAlias('void')`
    update wiki.snapshots
    set last_checked_at = now(), reading = ${readingVersion}, normal_text = ${normal_text},
      page_ends = ${pageEnds({ page_ends })},
      text = case when sha256 = ${sha256} and text is not null then ${text} else text end,
      text_length = case when sha256 = ${sha256} and text is not null then ${text_length} else text_length end,
      bytes_pruned_at = case when sha256 <> ${sha256} then bytes_pruned_at end
    where id = ${sameId}`)
  await tx.query(sql.typeAlias('void')`
    update wiki.claim_references set snapshot_id = ${sameId} where snapshot_id = ${pendingId}`)
  await tx.query(sql.typeAlias('void')`delete from wiki.snapshots where id = ${pendingId}`)
  await tx.query(sql.typeAlias('void')`${table.insert({ id: pendingId, snapshot_id: sameId })}`)
  return true
}
