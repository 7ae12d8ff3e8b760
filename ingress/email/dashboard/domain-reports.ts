import { z } from 'zod'
import { Domain } from '#lib/email-address.ts'
import * as domains from '#sql/email/domains.ts'
import * as tls from '#sql/email/tls-reports.ts'
import { everything } from '#sql/filters.ts'
import { reportRecords } from '#tasks/email/rules/aggregate/report-address.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { byDay, figure, percent } from '../../http/html/plot.ts'
import { mustFind } from '../../http/must-find.ts'
import { readOverview } from '../dmarc.ts'
import { section } from './domains.ts'

type Overview = Awaited<ReturnType<typeof readOverview>>

const shown = { sources: 50, reporters: 20, tls: 20 }

/** Reports of receiving servers about a domain: a chart, its sources and reporters, and the reports about TLS. */
export const read = page({
  path: '/domains/{domain}/reports',
  summary: 'Show the DMARC and TLS reports of a domain',
  section,
  permission: 'domains:read',
  params: z.object({ domain: Domain }),
  async view({ db, member, services, params: { domain } }) {
    const row = await mustFind(domains.find(db, member.orgId, domain), 'domain')
    const overview = await readOverview(db, row.id, {})
    const reports = await tls.list(db, row.id, { where: everything, before: undefined, limit: shown.tls })
    const main = html`${parentLink(row.domain, `/app/domains/${row.domain}`)}<h1>Reports about ${row.domain}</h1>
<p class="lead">Receiving servers report which sources send email from your domain, and whether it passes DMARC. Anyone can send a report, so compare the reporters.</p>
<section><h2>DMARC, last 30 days</h2>${overview.reporters.length === 0 ? emptyState('No DMARC reports yet. Large mailbox providers report once a day.', 'Publish the records below.') : dmarcParts(overview)}</section>
<section><h2>TLS</h2>${reports.length === 0 ? emptyState('No TLS reports yet. Servers that send email to your domain report once a day.') : tlsTable(reports)}</section>
<section><h2>DNS records</h2>${recordTable(reportRecords(row))}</section>
${apiCall(services, 'email.dmarc.overview', { path: { domain: row.domain } })}`
    return { title: `Reports about ${row.domain}`, main }
  },
})

const share = (part: number, whole: number): string => (whole === 0 ? '–' : percent(part / whole))

function dmarcParts({ totals, days, sources, reporters }: Overview): Html {
  const { time, line } = byDay(days)
  const series = [
    line('pass', ({ aligned }) => aligned),
    line('fail', ({ messages, aligned }) => messages - aligned, true),
  ]
  return html`<dl class="facts"><div><dt>Messages</dt><dd>${count(totals.messages)}</dd></div>
<div><dt>Pass DMARC</dt><dd>${share(totals.aligned, totals.messages)}</dd></div>
<div><dt>Pass DKIM</dt><dd>${share(totals.dkim_aligned, totals.messages)}</dd></div>
<div><dt>Pass SPF</dt><dd>${share(totals.spf_aligned, totals.messages)}</dd></div>
<div><dt>Quarantined</dt><dd>${count(totals.quarantined)}</dd></div><div><dt>Rejected</dt><dd>${count(totals.rejected)}</dd></div></dl>
${figure({ ...time, name: 'dmarc', title: 'Messages by day', noun: 'messages per day', series })}
<h3>Sources</h3>${dataTable(
    { caption: 'Sources', key: ({ source_ip }) => source_ip },
    sources.slice(0, shown.sources),
    {
      'IP address': ({ source_ip, is_millrace }) =>
        html`<span class="break">${source_ip}</span>${is_millrace && html` <span class="quiet">Millrace</span>`}`,
      Messages: ['number', ({ messages }) => count(messages)],
      DMARC: ['number', ({ aligned, messages }) => share(aligned, messages)],
      DKIM: ['number', ({ dkim_aligned, messages }) => share(dkim_aligned, messages)],
      SPF: ['number', ({ spf_aligned, messages }) => share(spf_aligned, messages)],
      Rejected: ['number', ({ rejected }) => count(rejected)],
    },
  )}
<h3>Reporters</h3>${dataTable(
    { caption: 'Reporters', key: ({ reporter }) => reporter },
    reporters.slice(0, shown.reporters),
    {
      Reporter: ['break', ({ reporter }) => reporter],
      Reports: ['number', ({ reports }) => count(reports)],
      Messages: ['number', ({ messages }) => count(messages)],
      DMARC: ['number', ({ aligned, messages }) => share(aligned, messages)],
    },
  )}`
}

const tlsTable = (reports: readonly tls.TlsReportRow[]): Html =>
  dataTable({ caption: 'TLS reports', key: ({ id }) => id }, reports, {
    Reporter: ['break', ({ reporter }) => reporter],
    Successes: ['number', ({ successes }) => count(successes)],
    Failures: ['number', ({ failures }) => count(failures)],
    Causes: ['break', ({ policies }) => causesOf(policies)],
    Received: ({ created_at }) => ago(created_at),
  })

const causesOf = (policies: tls.TlsReportRow['policies']): string =>
  [...new Set(policies.flatMap(({ details }) => details.map(({ result_type }) => result_type)))].join(', ') || '–'

const recordTable = (records: ReturnType<typeof reportRecords>): Html =>
  dataTable({ caption: 'DNS records that request reports', key: ({ name }) => name }, records, {
    Name: (record) => copyable(record.name, `the name of the record: ${record.purpose}`),
    Type: ({ type }) => type,
    Value: ['break wide', (record) => copyable(record.value, `the value of the record: ${record.purpose}`)],
    Purpose: ['break', ({ purpose }) => purpose],
  })
