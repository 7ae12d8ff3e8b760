import { z } from 'zod'
import { getIdTime, Id } from '#lib/ids.ts'
import { LocalTime } from '#lib/input-types.ts'
import * as keys from '#sql/account/keys.ts'
import * as requests from '#sql/account/usage/requests.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { requestCounts, spanNames } from './request-counts.ts'

export const section = {
  title: 'Requests',
  path: '/app/requests',
  group: 'Developers',
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

type Query = z.output<typeof query>

const utc = (local: string | undefined): Date | undefined => (local === undefined ? undefined : new Date(`${local}Z`))

export const overview = page({
  path: '/requests',
  summary: 'List requests, newest first',
  section,
  permission: 'log:read',
  query,
  async view({ db, member, query }) {
    const { span, before, since, until, class: status, ...filter } = query
    const times = { since: utc(since), until: utc(until) }
    const found = await requests.list(db, member.orgId, {
      ...filter,
      ...times,
      class: status === undefined ? undefined : Number(status),
      before,
      limit: perPage + 1,
    })
    const { shown, older } = cutPage(found)
    const all = await keys.list(db, member.orgId)
    const main = html`<h1>Requests</h1>
<nav class="spans" aria-label="Time range of the counts">${spanNames.map((one) => html`<a href="/app/requests${queryString({ ...query, span: one })}"${one === span && html` aria-current="true"`}>${one}</a>`)}</nav>
${await requestCounts(db, member.orgId, span)}
<section><h2>Request log</h2><p class="lead">This log contains errors and a sample of other requests. Requests rejected by a limit (429) are not logged. The counts above include all requests.</p>
${filterForm(query, all)}
${shown.length === 0 ? emptyState('No requests match these filters.') : requestTable(shown, all)}
${older(section.path, { ...query })}</section>`
    return { title: 'Requests', main }
  },
})

const filterForm = (
  { span, key, operation = '', class: status, code = '', since = '', until = '' }: Query,
  all: readonly keys.Key[],
): Html => html`<form class="filter" role="search"><input type="hidden" name="span" value="${span}">
<div><label for="key">API key</label><select id="key" name="key"><option value="">any</option>${all
  .slice(0, 200)
  .map(
    (one) => html`<option value="${one.id}"${one.id === key && html` selected`}>${one.name}</option>`,
  )}</select></div>
<div><label for="class">Status</label><select id="class" name="class"><option value="">any</option>${['2', '3', '4', '5'].map((one) => html`<option value="${one}"${one === status && html` selected`}>${one}xx</option>`)}</select></div>
<div class="wide"><label for="operation">Operation</label><input id="operation" name="operation" value="${operation}" placeholder="email.messages.create"></div>
<div><label for="code">Error code</label><input id="code" name="code" value="${code}"></div>
<div><label for="since">Since (UTC)</label><input id="since" name="since" type="datetime-local" value="${since}"></div>
<div><label for="until">Until (UTC)</label><input id="until" name="until" type="datetime-local" value="${until}"></div>
<div class="send"><button>Filter requests</button></div></form>`

const requestTable = (shown: readonly requests.Request[], all: readonly keys.Key[]): Html => {
  const names = new Map(all.map(({ id, name }) => [id, name]))
  return dataTable('Requests', shown, [
    { title: 'Operation', cell: (one) => html`<a href="/app/requests/${one.id}">${one.operation}</a>` },
    { title: 'Status', cell: (one) => statusMark(one.status) },
    { title: 'Error', style: 'break', cell: (one) => one.code ?? html`<span class="quiet">none</span>` },
    {
      title: 'API key',
      style: 'break',
      cell: (one) => names.get(one.key_id) ?? html`<span class="quiet">deleted</span>`,
    },
    { title: 'ms', style: 'number', cell: (one) => Math.round(one.ms) },
    { title: 'Time', cell: (one) => ago(new Date(getIdTime(one.id))) },
  ])
}

export const statusMark = (status: number): Html =>
  html`<span class="${status >= 500 ? 'bad' : status < 400 && 'good'}">${status}</span>`
