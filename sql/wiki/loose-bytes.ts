import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Bytes in storage that a snapshot has let go. */
export const table = defineTable('wiki', 'loose_bytes', z.object({ org_id: Id, sha256: z.string(), since: z.date() }))

/** Bytes that a snapshot has let go. */
export type LooseBytes = Pick<z.infer<typeof table.Row>, 'org_id' | 'sha256'>

const LooseRow = table.Row.pick({ org_id: true, sha256: true })

/** Keeps bytes that are about to be put from being deleted as loose ones; waits while they are deleted. */
export async function takeUp(db: Db, orgId: string, sha256: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from wiki.loose_bytes where org_id = ${orgId} and sha256 = ${sha256}`)
}

/** Lets go of the bytes of snapshots that no claim cites and whose sources said the same for the last time before an instant; returns how many. */
export async function letGo(db: Db, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update wiki.snapshots set bytes_pruned_at = now() where id in (
      select id from wiki.snapshots as s
      where status = 'ok' and bytes_pruned_at is null and coalesce(last_checked_at, captured_at) < ${before.toISOString()}
        and not exists (select from wiki.claim_references where snapshot_id = s.id)
      order by coalesce(last_checked_at, captured_at) limit ${limit} for update skip locked)`)
  return rowCount
}

/** Bytes that were let go before an instant, a few of them, the first first. */
export async function list(db: Db, before: Date, limit: number): Promise<readonly LooseBytes[]> {
  return await db.any(sql.type(LooseRow)`
    select org_id, sha256 from wiki.loose_bytes where since < ${before.toISOString()} order by since limit ${limit}`)
}

/**
 * Locks loose bytes, which are then no entry any more; true when they may be deleted before the transaction ends. Those that a claim
 * has come to cite are taken back.
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
