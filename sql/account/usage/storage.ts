import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { findHardLimit } from './budgets.ts'

/**
 * Returns the number of stored bytes, including uploads in progress. Locked until the transaction ends, so that
 * concurrent uploads cannot exceed the quota together.
 */
export async function lockStoredBytes(tx: Db, orgId: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ bytes: z.number() }))`
    insert into account.storage as stored (org_id, bytes) values (${orgId}, 0)
    on conflict (org_id) do update set bytes = stored.bytes returning bytes`)
}

export async function storageLimit(db: Db, orgId: string, planBytes: number): Promise<number> {
  return Math.min(planBytes, (await findHardLimit(db, orgId, 'storage.bytes')) ?? planBytes)
}

/** Returns the number of stored bytes without a lock. */
export async function readStoredBytes(db: Db, orgId: string): Promise<number> {
  return (
    (await db.maybeOneFirst(sql.type(z.object({ bytes: z.number() }))`
      select bytes from account.storage where org_id = ${orgId}`)) ?? 0
  )
}

const Now = z.object({ bytes: z.number(), received_bytes: z.number() })

export async function readStorage(db: Db, orgId: string): Promise<z.infer<typeof Now>> {
  const found = await db.maybeOne(sql.type(Now)`
    select bytes, received_bytes from account.storage where org_id = ${orgId}`)
  return found ?? { bytes: 0, received_bytes: 0 }
}

/**
 * Records the last reported percentage for received email. The percentage only rises, except when it is reset to 0.
 * Returns true if the value changed.
 */
export async function setReceivedWarned(tx: Db, orgId: string, percent: number): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.storage set received_warned = ${percent}
    where org_id = ${orgId} and (received_warned < ${percent} or (${percent} = 0 and received_warned > 0))`)
  return rowCount > 0
}
