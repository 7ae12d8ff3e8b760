import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Organisations for whose lists of consents an operator vouches. */
export const table = defineTable(
  'email',
  'consent_vouchers',
  z.object({ org_id: Id, actor: z.string(), reason: z.string(), created_at: z.date() }),
)

export type Voucher = z.infer<typeof table.Row>

export async function find(db: Db, orgId: string): Promise<Voucher | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from email.consent_vouchers where org_id = ${orgId}`)
}

/** Returns false if an operator already vouches for the organisation. */
export async function insert(tx: Db, voucher: Omit<Voucher, 'created_at'>): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`${table.insert(voucher)} on conflict (org_id) do nothing`)
  return rowCount > 0
}

export async function remove(tx: Db, orgId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from email.consent_vouchers where org_id = ${orgId}`)
  return rowCount > 0
}
