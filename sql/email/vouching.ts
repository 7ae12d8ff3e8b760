import { type Db, sql } from '../db.ts'

/** Verifies a domain by an operator's word, its keys counting as published: DNS is not asked about it any more. */
export async function vouch(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.domains set status = 'verified', verified_by = 'operator', verified_at = now() where id = ${id}`)
  await tx.query(sql.typeAlias('void')`update email.dkim_keys set published = true where domain_id = ${id}`)
}

/** Takes an operator's word back: the next pass judges the domain by DNS, and nothing is sent from it until then. */
export async function leaveToDns(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update email.domains set status = 'pending', verified_by = null, verified_at = null, passed_at = null
    where id = ${id} and verified_by = 'operator'`)
}
