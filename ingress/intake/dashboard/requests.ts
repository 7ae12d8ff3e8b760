import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as rows from '#sql/intake/requests.ts'
import * as sources from '#sql/intake/sources.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import { requestPath, sampleSource, section, sourcesPath } from './section.ts'

const Query = z.object({
  source_id: optionalField(Id),
  status: optionalField(rows.Status),
  job_status: optionalField(rows.JobStatus),
  before: Id.optional(),
})

type Chosen = Omit<z.output<typeof Query>, 'before'>

export const overview = page({
  path: '/intake',
  summary: 'Show the latest received webhooks',
  section,
  permission: 'log:read',
  query: Query,
  async view({ db, member, may, region, services, query: { before, ...chosen } }) {
    const names = await sources.listNames(db, member.orgId)
    const add = may('areas:write') && linkButton(`${sourcesPath}/new`, 'Add source', { primary: true })
    const list = before
      ? await renderRequests(db, member.orgId, chosen, before)
      : await region(`intake/${chosen.source_id ?? ''}/${chosen.status ?? ''}/${chosen.job_status ?? ''}`)
    const filters = [
      { name: 'source_id', label: 'Source', options: names.map(({ id, name }) => [id, name] as const) },
      { name: 'status', label: 'Status', options: rows.Status.options },
      { name: 'job_status', label: 'Job', options: rows.JobStatus.options },
    ]
    const main = html`<div class="title"><h1>${section.title}</h1><p class="actions"><a class="button" href="${sourcesPath}">Sources</a> ${names.length > 0 && add}</p></div>
${names.length === 0 ? emptyState('Received webhooks appear here.', 'A source receives the webhooks of Stripe, GitHub, Shopify, Slack or another provider.', add) : html`${filterForm(filters, chosen, { button: 'Filter requests' })}${list}`}
${names.length === 0 && add && apiCall(services, 'intake.sources.create', { body: sampleSource })}`
    return { title: section.title, main }
  },
})

export const requestsRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'log:read',
  read: (db, orgId, [source = '', status = '', job = '']) =>
    renderRequests(db, orgId, {
      source_id: Id.safeParse(source).data,
      status: rows.Status.safeParse(status).data,
      job_status: rows.JobStatus.safeParse(job).data,
    }),
}

async function renderRequests(db: DatabasePool, orgId: string, chosen: Chosen, before?: string): Promise<Html> {
  const page = { where: whereOf(rows.filters, chosen), before, limit: perPage + 1 }
  const { shown, older } = cutPage(await rows.list(db, orgId, page))
  if (shown.length > 0) return html`${requestTable(shown)}${older(section.path, chosen)}`
  const isFiltered = Object.values(chosen).some((value) => value !== undefined)
  return isFiltered
    ? emptyState('No requests match these filters.')
    : emptyState(
        'Received requests appear here.',
        'Enter the URL of your source at the provider, then send a test webhook there.',
      )
}

export const requestTable = (shown: readonly rows.Facts[]): Html =>
  dataTable({ caption: 'Requests', key: ({ id }) => `request-${id}` }, shown, {
    Event: ['break', (one) => html`<a href="${requestPath(one.id)}">${one.event_type ?? 'unknown type'}</a>`],
    'Event ID': ['break', (one) => one.event_id ?? quiet('none')],
    Status: [
      'break',
      (one) =>
        html`${statusBadge(one.status)}${one.reason && html` <span class="quiet">${one.reason.replaceAll('_', ' ')}</span>`}`,
    ],
    Job: (one) => (one.job_status ? statusBadge(one.job_status) : quiet('none')),
    Duplicates: ['number', (one) => String(one.duplicates)],
    Received: (one) => ago(one.received_at),
  })
