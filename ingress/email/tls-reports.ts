import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/email/tls-reports.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { getDomainId } from './dmarc.ts'

const Report = z
  .object({
    id: Id,
    reporter: z.string().describe('Name in the report. Anyone can send a report.'),
    contact: z.string().nullable(),
    report_id: z.string().describe('ID that the reporter chose'),
    sender: z.string().describe('Envelope sender of the email with the report'),
    begins_at: Instant,
    ends_at: Instant,
    successes: z.int().describe('Number of connections with TLS as the policy requires'),
    failures: z.int().describe('Number of connections that failed'),
    policies: z.array(rows.TlsPolicy).describe('Results by policy, with up to 200 kinds of failures each'),
    created_at: Instant,
  })
  .meta({ id: 'email.TlsReport' })

export const list = listRoute({
  path: '/domains/{domain}/tls-reports',
  summary: 'List TLS reports of a domain',
  description:
    'Returns reports of sending servers about the TLS of email to your domain (RFC 8460), newest first. A repeated report is stored once.',
  scope: 'email:manage',
  params: z.object({ domain: Domain }),
  problems: ['not_found'],
  filters: rows.filters,
  query: { reporter: z.string().max(255).optional() },
  item: Report,
  rows: async ({ params: { domain }, org, db }, page) =>
    await rows.list(db, await getDomainId(db, org.id, domain), page),
  present: (row) => row,
})
