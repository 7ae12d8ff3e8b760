import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { Check, type DkimKey, type EmailDomain as Row } from '#sql/email/domains.ts'
import { recordKinds, recordsOf, spfInclude } from '#tasks/email/rules/domains/records.ts'
import { Instant } from '../http/instant.ts'

const summary = {
  id: Id,
  domain: z.string(),
  status: z.enum(['pending', 'verified', 'failed']).describe('verified: mail is sent from it'),
  verified_by: z.enum(['dns', 'operator']).nullable().describe('operator: vouched for, and not judged by its records'),
  spf_verified: z.boolean().describe('The return path has the SPF record and the MX'),
  dkim_verified: z.boolean().describe('The RSA key is published; the Ed25519 key comes in addition'),
  created_at: Instant,
  checked_at: Instant.nullable(),
  verified_at: Instant.nullable(),
}

/** A domain in a list. */
export const DomainSummary = z.object(summary).meta({ id: 'email.DomainSummary' })

/** A domain with the records to publish. */
export const EmailDomain = z
  .object({
    ...summary,
    return_path: z.string().describe('Host of the envelope sender'),
    spf_include: z.string().describe('Host that SPF records include'),
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
          .describe('different: there is another; unknown: its name servers gave no answer'),
        found: z.string().nullable().describe('What is there, or what is wrong with it'),
      }),
    ),
  })
  .meta({ id: 'email.Domain' })

/** A row as an item of a list. */
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
    records: recordsOf(row, keys).map((record) => {
      const check = row.checks[record.kind]
      return { ...record, state: check?.state ?? 'not_checked', found: check?.found ?? null }
    }),
  }
}
