import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** One record that a domain must have, as its name servers answered for it last. */
export const Check = z.object({
  /** `unknown`: its name servers gave no answer, which says nothing of the record. */
  state: z.enum(['found', 'missing', 'different', 'unknown']),
  /** What is there, or why nothing is known. */
  found: z.string().nullable(),
})

/** One record that a domain must have, as its name servers answered for it last. */
export type Check = z.infer<typeof Check>

/** Domains that organisations send from. */
export const table = defineTable(
  'email',
  'domains',
  z.object({
    id: Id,
    org_id: Id,
    domain: z.string(),
    return_path: z.string(),
    status: z.enum(['pending', 'verified', 'failed']),
    verified_by: z.enum(['dns', 'operator']).nullable(),
    checks: z.record(z.string(), Check),
    failed_passes: z.number(),
    created_at: z.date(),
    checked_at: z.date().nullable(),
    verified_at: z.date().nullable(),
  }),
)

/** A domain that an organisation sends from. */
export const EmailDomain = table.Row

/** The parsed row. */
export type EmailDomain = z.infer<typeof EmailDomain>

/** Keys that domains' mail is signed with. */
export const keyTable = defineTable(
  'email',
  'dkim_keys',
  z.object({
    id: Id,
    org_id: Id,
    domain_id: Id,
    selector: z.string(),
    algorithm: z.enum(['rsa-sha256', 'ed25519-sha256']),
    private_key: z.string(),
    public_key: z.string(),
    published: z.boolean(),
    created_at: z.date(),
  }),
)

/** A key that a domain's mail is signed with. */
export type DkimKey = z.infer<typeof keyTable.Row>

/** An organisation's domain by its name, in ASCII and lower case. */
export async function find(db: Db, orgId: string, domain: string): Promise<EmailDomain | null> {
  return await db.maybeOne(sql.type(EmailDomain)`
    select ${table.columns()} from email.domains where org_id = ${orgId} and domain = ${domain}`)
}

/** The domains of organisations by their names, in ASCII and lower case. */
export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; domain: string }[],
): Promise<readonly EmailDomain[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(EmailDomain)`
    select ${table.columns('d')} from email.domains as d
    join ${sql.unnest(
      wanted.map(({ org_id, domain }) => [org_id, domain]),
      ['uuid', 'text'],
    )} as w (org_id, domain) on d.org_id = w.org_id and d.domain = w.domain`)
}
