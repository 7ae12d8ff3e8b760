import { newId } from '#lib/ids.ts'
import { type DatabasePool, sql } from '#sql/db.ts'

/** Adds a verified domain to an organisation. An `active` domain has a certificate that cannot be decrypted. */
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
