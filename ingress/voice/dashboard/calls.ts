import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, duration } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { presentCall } from '../call-shape.ts'

export const section = {
  title: 'Calls',
  path: '/app/calls',
  group: 'Notifications',
  guide: 'voice',
  permission: 'log:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/calls',
  summary: 'List calls',
  section,
  permission: 'log:read',
  query: z.object({ status: optionalField(z.enum(calls.statuses)), before: Id.optional() }),
  async view({ db, member, may, query: { status, before } }) {
    const where = whereOf(calls.filters, { status })
    const found = await calls.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const theirs = await legs.listByCalls(
      db,
      shown.map(({ id }) => id),
    )
    const place = may('areas:write') && html`<a class="button primary" href="${section.path}/new">Place a call</a>`
    const main = html`<div class="title"><h1>Calls</h1>${place}</div>
${filterForm(filters, { status })}
${shown.length === 0 ? emptyState(status ? 'No calls match this filter.' : 'No calls yet.', !status && 'A call connects two phones: the first one rings, then the second one.') : callTable(shown.map((call) => presentCall(call, theirs.get(call.id) ?? [])))}
${older(section.path, { status })}`
    return { title: 'Calls', main }
  },
})

export const words = (code: string): string => code.replaceAll('_', ' ')

const options = calls.statuses.map((one) => [one, words(one)] as const)
const filters = [{ name: 'status', label: 'Status', any: 'Any', options }]

type Shown = ReturnType<typeof presentCall>

const callTable = (shown: readonly Shown[]): Html =>
  dataTable('Calls', shown, {
    From: ['', (one) => html`<a href="${section.path}/${one.id}">${one.from}</a>`],
    To: (one) => one.to,
    Status: (one) => callState(one),
    'Caller ID': (one) => one.caller_id,
    Duration: ['number', (one) => (one.duration_seconds === null ? '–' : duration(one.duration_seconds as number))],
    Created: (one) => ago(one.created_at as Date),
  })

export const callState = ({ status, reason }: Shown): Html =>
  html`${statusBadge(status, { shown: words(status) })}${reason && html` <span class="quiet">${words(reason)}</span>`}`
