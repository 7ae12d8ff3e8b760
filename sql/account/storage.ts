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

const Now = z.object({ bytes: z.number(), received_bytes: z.number() })

/** Bytes that an organisation has stored, and those of received mail among them. */
export async function now(db: Db, orgId: string): Promise<z.infer<typeof Now>> {
  const found = await db.maybeOne(sql.type(Now)`
    select bytes, received_bytes from account.storage where org_id = ${orgId}`)
  return found ?? { bytes: 0, received_bytes: 0 }
}

/** Notes the percentage of the share of received mail that webhooks are told of. It only rises, unless it is 0. True if it is new. */
export async function setReceivedWarned(tx: Db, orgId: string, percent: number): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.storage set received_warned = ${percent}
    where org_id = ${orgId} and (received_warned < ${percent} or (${percent} = 0 and received_warned > 0))`)
  return rowCount > 0
}
