import { z } from 'zod'
import { getIdTime, Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import * as keys from '#sql/account/keys.ts'
import * as requests from '#sql/account/usage/requests.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, duration } from '../../http/html/format.ts'
import { type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton } from '../../http/html/parts.ts'
import type { OperationEntry } from '../../http/openapi/document.ts'
import { catalogue } from '../../http/services.ts'
import { requestCounts, spanNames } from './request-counts.ts'

export const section = {
  title: 'Requests',
  path: '/app/requests',
  group: 'Developers',
  guide: 'errors',
  permission: 'log:read',
} as const satisfies DashboardSection

const query = z.object({
  span: z.enum(spanNames).default('1h'),
  key: optionalField(Id),
  operation: optionalField(z.string().trim().max(100)),
  class: optionalField(z.enum(['2', '3', '4', '5'])),
  code: optionalField(z.string().trim().max(100)),
  since: optionalField(LocalTime),
  until: optionalField(LocalTime),
  before: Id.optional(),
})

const utc = (local: string | undefined): string | undefined => (local === undefined ? undefined : `${local}Z`)

export const overview = page({
  path: '/requests',
  summary: 'List requests, newest first',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, query, services }) {
    const { span, before, since, until, class: status, ...filter } = query
    const times = { since: utc(since), until: utc(until) }
    const digit = status === undefined ? undefined : Number(status)
    const where = whereOf(requests.filters, { ...filter, ...times, class: digit })
    const found = await requests.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const all = await keys.list(db, member.orgId)
    const main = html`<h1>Requests</h1>
<nav class="spans" aria-label="Time range of the counts">${spanNames.map((one) => html`<a href="/app/requests${queryString({ ...query, span: one })}"${one === span && html` aria-current="true"`}>${one}</a>`)}</nav>
${await requestCounts(db, member.orgId, span)}
<section><h2>Request log</h2><p class="lead">This log contains errors and a sample of other requests. Requests rejected by a limit (429) are not logged. The counts above include all requests.</p>
${filterForm(filters(all), query, { button: 'Filter requests', hidden: { span } })}
${shown.length === 0 ? emptyState('No requests match these filters.', 'Requests that your servers send with an API key appear here.', linkButton('/app/keys', 'Show API keys')) : requestTable(shown, { all, routes: services(catalogue) })}
${older(section.path, { ...query })}</section>`
    return { title: 'Requests', main }
  },
})

const filters = (all: readonly keys.Key[]): readonly Filter[] => [
  { name: 'key', label: 'API key', options: all.slice(0, 200).map(({ id, name }) => [id, name] as const) },
  { name: 'class', label: 'Status', options: ['2', '3', '4', '5'].map((one) => [one, `${one}xx`] as const) },
  { name: 'operation', label: 'Operation', placeholder: 'email.messages.create' },
  { name: 'code', label: 'Error code', narrow: true },
  { name: 'since', label: 'Since (UTC)', type: 'datetime-local' },
  { name: 'until', label: 'Until (UTC)', type: 'datetime-local' },
]

interface Around {
  all: readonly keys.Key[]
  routes: readonly OperationEntry[]
}

const requestTable = (shown: readonly requests.Request[], { all, routes }: Around): Html => {
  const names = new Map(all.map(({ id, name }) => [id, name]))
  return dataTable('Requests', shown, {
    Request: (one) =>
      html`<a href="/app/requests/${one.id}">${callOf(one, routes)}</a> <span class="quiet">${one.operation}</span>`,
    Status: (one) => statusMark(one.status),
    Error: ['break', (one) => errorCell(one)],
    'API key': ['break', (one) => names.get(one.key_id) ?? quiet('deleted')],
    Duration: ['number', (one) => duration(one.ms / 1000)],
    Time: (one) => ago(new Date(getIdTime(one.id))),
  })
}

/** Renders the method and path of a request. The log stores operations, so the path has placeholders. */
export function callOf({ operation }: requests.Request, routes: readonly OperationEntry[]): Html {
  const found = routes.find(({ id }) => id === operation)
  return found
    ? html`<span class="call"><b class="method">${found.method}</b> <code>${found.path}</code></span>`
    : html`${operation}`
}

function errorCell({ code, error }: requests.Request): Html {
  if (code === null) return quiet('none')
  const [first] = issuesOf(error)
  return html`<code>${code}</code>${first && html` <span class="quiet">${first.field && html`<code>${first.field}</code> `}${first.issue}</span>`}`
}

/** Returns the issues of an error with their fields. The field is empty if the issue is about the whole request. */
export function issuesOf(error: requests.Request['error']): readonly { field: string; issue: string }[] {
  if (!error) return []
  if (error.message) return [{ field: '', issue: error.message }]
  return error.fields.map((field, i) => ({ field, issue: error.issues?.[i] ?? '' }))
}

export const statusMark = (status: number): Html =>
  statusBadge(status >= 500 ? 'failed' : status >= 400 ? 'rejected' : 'done', { shown: status })
