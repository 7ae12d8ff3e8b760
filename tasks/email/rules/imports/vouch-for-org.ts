import type { DatabasePool } from '#sql/db.ts'
import * as vouchers from '#sql/email/consent-vouchers.ts'
import * as controls from '#sql/jobs/controls.ts'

interface Vouching {
  orgId: string
  actor: string
  reason: string
}

/**
 * Vouches for the consents that an organisation imports from now on. Returns false if an operator already vouches for
 * it.
 */
export async function vouchForOrg(db: DatabasePool, { orgId, actor, reason }: Vouching): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await vouchers.insert(tx, { org_id: orgId, actor, reason }))) return false
    await controls.recordAction(tx, { actor, action: 'vouch', target: `consents of ${orgId}`, count: 1, reason })
    return true
  })
}

/** Ends a voucher. Rows that are not read yet become unconfirmed contacts. Returns false if there is none. */
export async function endVoucher(db: DatabasePool, { orgId, actor, reason }: Vouching): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await vouchers.remove(tx, orgId))) return false
    await controls.recordAction(tx, { actor, action: 'end voucher', target: `consents of ${orgId}`, count: 1, reason })
    return true
  })
}
