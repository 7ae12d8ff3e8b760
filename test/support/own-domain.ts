import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'

/** Gives an organisation a proven domain; one that is `active` has a certificate, which nobody can open. */
export async function ownDomain(db: DatabasePool, orgId: string, hostname: string, active = true): Promise<void> {
  const id = newId()
  await db.query(sql.typeAlias('void')`
    insert into video.domains (id, org_id, hostname, token, verified_at)
    values (${id}, ${orgId}, ${hostname}, 'proof', now())`)
  const ends = active ? sql.fragment`now() + interval '90 days'` : sql.fragment`null`
  await db.query(sql.typeAlias('void')`
    insert into video.certificates (domain_id, state, version, due_at, not_after)
    values (${id}, ${active ? 'issued' : 'ordering'}, ${active ? newId() : null}, now() + interval '60 days', ${ends})`)
}
