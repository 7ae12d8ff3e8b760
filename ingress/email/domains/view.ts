import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Check, type DkimKey, type EmailDomain as Row } from '#sql/email/domains.ts'
import { listRecords, recordKinds, spfInclude } from '#tasks/email/rules/domains/records.ts'
import { Instant } from '../../http/instant.ts'

const summary = {
  id: Id,
  domain: z.string(),
  status: z.enum(['pending', 'verified', 'failed']).describe('`verified`: you can send from the domain'),
  verified_by: z
    .enum(['dns', 'operator'])
    .nullable()
    .describe('`operator`: an operator verified the domain, and DNS is not checked'),
  spf_verified: z.boolean().describe('True if the SPF record and the MX record of the return path exist'),
  dkim_verified: z.boolean().describe('True if the RSA key is published. The Ed25519 key is optional.'),
  created_at: Instant,
  checked_at: Instant.nullable(),
  verified_at: Instant.nullable(),
}

export const DomainSummary = z.object(summary).meta({ id: 'email.DomainSummary' })

export const EmailDomain = z
  .object({
    ...summary,
    return_path: z.string().describe('Host of the envelope sender'),
    spf_include: z.string().describe('Host to include in SPF records'),
    records: z.array(
      z.object({
        kind: z.enum(recordKinds),
        name: z.string(),
        type: z.enum(['TXT', 'MX']),
        value: z.string(),
        priority: z.int().nullable(),
        purpose: z.string(),
        required: z.boolean(),
        state: z
          .enum(['not_checked', ...Check.shape.state.options])
          .describe('`different`: a different record exists. `unknown`: the name servers did not respond.'),
        found: z.string().nullable().describe('Value found in DNS, or the problem with it'),
      }),
    ),
  })
  .meta({ id: 'email.Domain' })

export function summarize(row: Row): z.input<typeof DomainSummary> {
  const { id, domain, status, verified_by, checks, created_at, checked_at, verified_at } = row
  const isFound = (...kinds: (keyof typeof checks)[]) =>
    verified_by === 'operator' || kinds.every((kind) => checks[kind]?.state === 'found')
  return {
    id,
    domain,
    status,
    verified_by,
    created_at,
    checked_at,
    verified_at,
    spf_verified: isFound('return_path_spf', 'return_path_mx'),
    dkim_verified: isFound('dkim_rsa'),
  }
}

export function present(row: Row, keys: readonly Omit<DkimKey, 'created_at'>[]): z.input<typeof EmailDomain> {
  return {
    ...summarize(row),
    return_path: row.return_path,
    spf_include: spfInclude(),
    records: listRecords(row, keys).map((record) => {
      const check = row.checks[record.kind]
      return { ...record, state: check?.state ?? 'not_checked', found: check?.found ?? null }
    }),
  }
}
