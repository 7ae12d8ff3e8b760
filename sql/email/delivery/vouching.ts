import { type Db, sql } from '../../db.ts'

/** Marks a domain as verified by an operator. Its keys count as published, and DNS is no longer checked. */
export async function verifyByOperator(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.domains set status = 'verified', verified_by = 'operator', verified_at = now() where id = ${id}`)
  await tx.query(sql.typeAlias('void')`update email.dkim_keys set published = true where domain_id = ${id}`)
}

/** Reverts `verifyByOperator`: nothing is sent until the next check with DNS. */
export async function revertToDns(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.domains set status = 'pending', verified_by = null, verified_at = null, passed_at = null
    where id = ${id} and verified_by = 'operator'`)
}
