import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable('wiki', 'loose_bytes', z.object({ org_id: Id, sha256: z.string(), since: z.date() }))

export type LooseBytes = Pick<z.infer<typeof table.Row>, 'org_id' | 'sha256'>

const LooseRow = table.Row.pick({ org_id: true, sha256: true })

/** Protects bytes that are about to be stored from being deleted. Waits for a deletion in progress. */
export async function protectBytes(db: Db, orgId: string, sha256: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from wiki.loose_bytes where org_id = ${orgId} and sha256 = ${sha256}`)
}

/**
 * Releases the bytes of snapshots that no claim cites and that were last checked before a time. Returns the number of
 * snapshots.
 */
export async function releaseUncited(db: Db, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update wiki.snapshots set bytes_pruned_at = now() where id in (
      select id from wiki.snapshots as s
      where status = 'ok' and bytes_pruned_at is null and coalesce(last_checked_at, captured_at) < ${before.toISOString()}
        and not exists (select from wiki.claim_references where snapshot_id = s.id)
      order by coalesce(last_checked_at, captured_at) limit ${limit} for update skip locked)`)
  return rowCount
}

export async function list(db: Db, before: Date, limit: number): Promise<readonly LooseBytes[]> {
  return await db.any(sql.type(LooseRow)`
    select org_id, sha256 from wiki.loose_bytes where since < ${before.toISOString()} order by since limit ${limit}`)
}

/**
 * Locks released bytes and deletes their entry. Returns true if they may be deleted in this transaction. Bytes that a
 * claim now cites are kept.
 */
export async function claim(tx: Db, { org_id, sha256 }: LooseBytes): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from wiki.loose_bytes where org_id = ${org_id} and sha256 = ${sha256}`)
  if (rowCount === 0) return false
  await tx.query(sql.typeAlias('void')`
    update wiki.snapshots as s set bytes_pruned_at = null
    where org_id = ${org_id} and sha256 = ${sha256} and bytes_pruned_at is not null
      and exists (select from wiki.claim_references where snapshot_id = s.id)`)
  return !(await tx.exists(sql.type(z.object({ id: Id }))`
    select id from wiki.snapshots where org_id = ${org_id} and sha256 = ${sha256} and bytes_pruned_at is null`))
}
