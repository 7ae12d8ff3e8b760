import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as streams from '#sql/account/streams/streams.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { lagOf, type Shown, statusOf, withPositions } from '../stream-view.ts'

export const section = {
  title: 'Log streams',
  path: '/app/log-streams',
  group: 'Developers',
  guide: 'log-streams',
  permission: 'webhooks:read',
} as const satisfies DashboardSection

const perPage = 50

export const kindNames = { s3: 'S3', otlp: 'OpenTelemetry', syslog: 'Syslog', splunk: 'Splunk' } as const

export const sourceNames = { audit: 'Audit log', events: 'Events', requests: 'Request log' } as const

export const overview = page({
  path: '/log-streams',
  summary: 'List log streams',
  section,
  permission: 'webhooks:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const where = whereOf(streams.filters, {})
    const found = await streams.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found, perPage)
    const rows = await withPositions(db, shown)
    const main = html`<div class="title"><h1>Log streams</h1>${may('webhooks:write') && html`<a class="button primary" href="/app/log-streams/new">Create log stream</a>`}</div>
<p class="lead">A log stream sends your audit log, events and request log to your server.</p>
${rows.length === 0 ? emptyState('Your log streams appear here.', 'Millrace sends records to S3, an OpenTelemetry collector, a syslog server or Splunk.', may('webhooks:write') && linkButton('/app/log-streams/new', 'Create log stream')) : streamTable(rows)}
${older(section.path)}`
    return { title: 'Log streams', main }
  },
})

const streamTable = (shown: readonly Shown[]): Html =>
  dataTable('Log streams', shown, {
    'Log stream': (one) => html`<a href="/app/log-streams/${one.id}">${one.name}</a>`,
    Kind: (one) => kindNames[one.kind],
    Status: (one) => streamState(one),
    Sources: (one) => one.sources.map((source) => sourceNames[source]).join(', '),
    Lag: (one) => lagText(Math.max(0, ...one.positions.map(lagOf))),
    'Last record': (one) => (one.last_sent_at ? ago(one.last_sent_at) : quiet('none')),
  })

export function streamState(one: streams.Stream): Html {
  const status = statusOf(one)
  if (status === 'paused') return quiet('paused')
  if (status === 'running') return statusBadge('enabled')
  return html`${statusBadge('failing')} <span class="quiet">since ${ago(one.failing_since as Date)}</span>`
}

export function lagText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`
}
