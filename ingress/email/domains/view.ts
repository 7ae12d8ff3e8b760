import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as domains from '#sql/email/domains.ts'
import { Check, type DkimKey, type EmailDomain as Row } from '#sql/email/domains.ts'
import type { Domain as Host } from '#sql/video/domains.ts'
import * as hosts from '#sql/video/domains.ts'
import { reportAddress, reportRecords } from '#tasks/email/rules/aggregate/report-address.ts'
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
  track_opens: z.boolean().describe('True if opens of HTML messages are tracked'),
  track_clicks: z.boolean().describe('True if clicks in HTML messages are tracked'),
  tracking_host: z.string().nullable().describe('Host of tracked links. `null` for the host of this API.'),
}

export const DomainSummary = z.object(summary).meta({ id: 'email.DomainSummary' })

export const EmailDomain = z
  .object({
    ...summary,
    return_path: z.string().describe('Host of the envelope sender'),
    spf_include: z.string().describe('Host to include in SPF records'),
    reports: z
      .object({
        address: z.string().describe('Address that receives DMARC and TLS reports about the domain'),
        records: z
          .array(z.object({ name: z.string(), type: z.literal('TXT'), value: z.string(), purpose: z.string() }))
          .describe('Optional DNS records that request the reports'),
      })
      .describe('Reports of receiving servers about the domain'),
    tracking: z
      .object({
        state: z
          .enum(['off', 'pending', 'active'])
          .describe('`pending`: nothing is tracked until the host of the links is proven and has a certificate'),
        message: z.string().nullable().describe('Next step while the state is `pending`'),
      })
      .describe('State of the tracking of opens and clicks'),
    records: z.array(
      z.object({
        kind: z.enum(recordKinds),
        name: z.string(),
        type: z.enum(['TXT', 'MX', 'CNAME', 'A', 'AAAA']),
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
  const { track_opens, track_clicks, tracking_host } = row
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
    track_opens,
    track_clicks,
    tracking_host,
    spf_verified: isFound('return_path_spf', 'return_path_mx'),
    dkim_verified: isFound('dkim_rsa'),
  }
}

/** `host`: the host of tracked links, if the domain has its own. */
export function present(
  row: Row,
  keys: readonly Omit<DkimKey, 'created_at'>[],
  host: Host | null,
): z.input<typeof EmailDomain> {
  return {
    ...summarize(row),
    return_path: row.return_path,
    spf_include: spfInclude(),
    reports: { address: reportAddress(row), records: reportRecords(row) },
    tracking: trackingOf(row, host),
    records: listRecords(row, keys).map((record) => {
      const check = row.checks[record.kind]
      return { ...record, state: check?.state ?? 'not_checked', found: check?.found ?? null }
    }),
  }
}

export async function presentWhole(db: Db, row: Row): Promise<z.input<typeof EmailDomain>> {
  const host = row.tracking_host === null ? null : await hosts.findByName(db, row.org_id, row.tracking_host)
  return present(row, await domains.listKeys(db, [row.id]), host)
}

function trackingOf({ track_opens, track_clicks, tracking_host }: Row, host: Host | null) {
  if (!track_opens && !track_clicks) return { state: 'off' as const, message: null }
  if (tracking_host === null) return { state: 'active' as const, message: null }
  if (!host?.verified_at)
    return { state: 'pending' as const, message: 'Publish the DNS record of the host, then verify the domain.' }
  if (host.not_after && host.not_after > new Date()) return { state: 'active' as const, message: null }
  return { state: 'pending' as const, message: host.reason ?? 'The certificate is being ordered.' }
}
