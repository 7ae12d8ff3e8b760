import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { Day } from '#lib/input-types.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/email/dmarc.ts'
import * as domains from '#sql/email/domains.ts'
import { ownAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'

const params = z.object({ domain: Domain })

const shared = { scope: 'email:manage', params, problems: ['not_found'] } as const

const Counts = z.object({
  messages: z.int(),
  aligned: z.int().describe('Messages that passed SPF or DKIM for the domain, so DMARC passes'),
  dkim_aligned: z.int(),
  spf_aligned: z.int(),
  quarantined: z.int(),
  rejected: z.int(),
})

/** Maximum numbers of days, and of sources and reporters in a response. */
const most = { days: 366, sources: 200, reporters: 100 }

const dayMs = 86_400_000

const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

export const getDomainId = async (db: DatabasePool, orgId: string, domain: string): Promise<string> =>
  (await mustFind(domains.find(db, orgId, domain), 'domain')).id

/** Returns the days of a query. Default: the last 30 days. Throws 400 if they are not in order or too many. */
export function spanOf({ since, until }: { since?: string | undefined; until?: string | undefined }) {
  const to = until ?? dayAt(Date.now())
  const from = since ?? dayAt(Date.parse(to) - 29 * dayMs)
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (days < 1) throw badRequest([{ field: 'query.since', issue: 'must not be after `until`' }])
  if (days > most.days)
    throw badRequest([{ field: 'query.since', issue: `must be within ${most.days} days of \`until\`` }])
  return { since: from, until: to }
}

export const overview = route({
  method: 'GET',
  path: '/domains/{domain}/dmarc',
  summary: 'Summarize DMARC reports of a domain',
  description:
    'Counts the messages in DMARC reports by day, source and reporter. Days are those on which reports begin (UTC). Anyone can send a report, so compare the reporters.',
  reads: 'replica',
  ...shared,
  query: z.object({
    since: Day.optional().describe('First day. Default: 30 days including `until`.'),
    until: Day.optional().describe('Last day. Default: today (UTC).'),
  }),
  status: 200,
  reply: z
    .object({
      since: z.iso.date(),
      until: z.iso.date(),
      totals: Counts,
      days: z.array(Counts.extend({ day: z.iso.date() })).describe('Oldest first, including days without reports'),
      sources: z
        .array(
          Counts.extend({
            source_ip: z.string(),
            reporters: z.int(),
            is_millrace: z.boolean().describe('True for an IP address from which this installation sends'),
          }),
        )
        .describe(`Up to ${most.sources} sources with the most messages`),
      reporters: z
        .array(Counts.extend({ reporter: z.string(), reports: z.int() }))
        .describe(`Up to ${most.reporters} reporters with the most messages`),
    })
    .meta({ id: 'email.DmarcOverview' }),
  async handle({ params: { domain }, query, org, db }) {
    return await readOverview(db, await getDomainId(db, org.id, domain), query)
  },
})

/** Reads the summary. The dashboard shows it also. */
export async function readOverview(db: DatabasePool, domainId: string, query: Parameters<typeof spanOf>[0]) {
  const { since, until } = spanOf(query)
  const span = { domainId, since, until }
  const [days, sources, reporters] = await Promise.all([
    rows.countByDay(db, span),
    rows.countBySource(db, span, most.sources),
    rows.countByReporter(db, span, most.reporters),
  ])
  const own = ownAddresses()
  const sum = (name: keyof z.output<typeof Counts>) => days.reduce((all, day) => all + day[name], 0)
  return {
    since,
    until,
    totals: {
      messages: sum('messages'),
      aligned: sum('aligned'),
      dkim_aligned: sum('dkim_aligned'),
      spf_aligned: sum('spf_aligned'),
      quarantined: sum('quarantined'),
      rejected: sum('rejected'),
    },
    days: [...days],
    sources: sources.map((source) => ({ ...source, is_millrace: own.includes(source.source_ip) })),
    reporters: [...reporters],
  }
}

const Report = z
  .object({
    id: Id,
    reporter: z.string().describe('Name in the report. Anyone can send a report.'),
    reporter_email: z.string().nullable(),
    report_id: z.string().describe('ID that the reporter chose'),
    sender: z.string().describe('Envelope sender of the email with the report'),
    begins_at: Instant,
    ends_at: Instant,
    policy_domain: z.string(),
    policy: z.string().nullable().describe('Policy of the domain (`p`) that the reporter found'),
    subdomain_policy: z.string().nullable(),
    percent: z.int().nullable(),
    messages: z.int(),
    aligned: z.int(),
    sources: z.int().describe('Number of different IP addresses'),
    created_at: Instant,
  })
  .meta({ id: 'email.DmarcReport' })

export const reports = listRoute({
  path: '/domains/{domain}/dmarc/reports',
  summary: 'List DMARC reports of a domain',
  description: 'Returns the reports that were received, newest first. A repeated report is stored once.',
  ...shared,
  filters: rows.reportFilters,
  query: { reporter: z.string().max(255).optional() },
  item: Report,
  rows: async ({ params: { domain }, org, db }, page) =>
    await rows.listReports(db, await getDomainId(db, org.id, domain), page),
  present: (row) => row,
})

const Row = z
  .object({
    id: Id,
    report_id: Id,
    day: z.iso.date(),
    source_ip: z.string(),
    count: z.int().describe('Number of messages'),
    disposition: rows.Disposition.describe('Action of the receiving server'),
    dkim_aligned: z.boolean(),
    spf_aligned: z.boolean(),
    header_from: z.string().nullable(),
    envelope_from: z.string().nullable(),
    override: z.string().nullable().describe('Reasons for which the server did not apply the policy'),
    spf_domain: z.string().nullable(),
    spf_result: z.string().nullable(),
    dkim_domain: z.string().nullable(),
    dkim_selector: z.string().nullable(),
    dkim_result: z.string().nullable(),
  })
  .meta({ id: 'email.DmarcRecord' })

const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

export const records = listRoute({
  path: '/domains/{domain}/dmarc/records',
  summary: 'List the records of DMARC reports',
  description: 'Returns the messages of one source with the same results, for each report.',
  ...shared,
  filters: rows.rowFilters,
  query: {
    report_id: Id.optional(),
    source_ip: z.union([z.ipv4(), z.ipv6()]).optional(),
    disposition: rows.Disposition.optional(),
    dkim_aligned: flag.optional(),
    spf_aligned: flag.optional(),
    since: Day.optional().describe('First day'),
    until: Day.optional().describe('Last day'),
  },
  item: Row,
  rows: async ({ params: { domain }, org, db }, page) =>
    await rows.listRows(db, await getDomainId(db, org.id, domain), page),
  present: (row) => row,
})
