import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { hardOf } from './budgets.ts'

/**
 * Bytes that an organisation has stored, uploads under way included. Until the transaction ends no other may ask, so that
 * two uploads that each fit do not both take the last of the quota.
 */
export async function lockStoredBytes(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ bytes: z.number() }))`
    insert into account.storage as stored (org_id, bytes) values (${orgId}, 0)
    on conflict (org_id) do update set bytes = stored.bytes returning bytes`)
}

/** What an organisation may store: the least of its plan's limit and its own hard one. */
export async function storageLimit(db: Db, orgId: string, planBytes: number): Promise<number> {
  return Math.min(planBytes, (await hardOf(db, orgId, 'storage.bytes')) ?? planBytes)
}

/** Bytes that an organisation has stored, without a lock. */
export async function bytesNow(db: Db, orgId: string): Promise<number> {
  return (
    (await db.maybeOneFirst(sql.type(z.object({ bytes: z.number() }))`
      select bytes from account.storage where org_id = ${orgId}`)) ?? 0
  )
}
