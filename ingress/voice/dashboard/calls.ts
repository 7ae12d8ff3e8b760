import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as calls from '#sql/voice/calls.ts'
import * as legs from '#sql/voice/legs.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, duration } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, olderLink } from '../../http/html/parts.ts'
import { presentCall } from '../call-shape.ts'

export const section = {
  title: 'Calls',
  path: '/app/calls',
  group: 'Messaging',
  permission: 'log:read',
} as const satisfies DashboardSection

const perPage = 50

export const overview = page({
  path: '/calls',
  summary: 'List calls',
  section,
  permission: 'log:read',
  query: z.object({ status: optionalField(z.enum(calls.statuses)), before: Id.optional() }),
  async view({ db, member, query: { status, before } }) {
    const found = await calls.list(db, member.orgId, {
      where: whereOf(calls.filters, { status }),
      before,
      limit: perPage + 1,
    })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const theirs = await legs.listByCalls(
      db,
      shown.map(({ id }) => id),
    )
    const main = html`<h1>Calls</h1>
<form class="filter" role="search"><div><label for="status">Status</label><select id="status" name="status"><option value="">Any</option>${calls.statuses.map(
      (one) => html`<option value="${one}"${one === status && html` selected`}>${words(one)}</option>`,
    )}</select></div><div class="send"><button>Filter</button></div></form>
${shown.length === 0 ? emptyState(status ? 'No calls match this filter.' : 'No calls yet.', !status && 'Place a call with POST /v1/voice/click-to-call.') : callTable(shown.map((call) => presentCall(call, theirs.get(call.id) ?? [])))}
${last && olderLink(section.path, { status, before: last.id })}`
    return { title: 'Calls', main }
  },
})

const words = (code: string): string => code.replaceAll('_', ' ')

type Shown = ReturnType<typeof presentCall>

const callTable = (shown: readonly Shown[]): Html => html`<table class="data stacks">
<caption class="unseen">Calls</caption>
<thead><tr><th scope="col">From</th><th scope="col">To</th><th scope="col">Status</th><th scope="col">Caller ID</th><th scope="col" class="number">Duration</th><th scope="col">Created</th></tr></thead>
<tbody>${shown.map(
  (
    one,
  ) => html`<tr><th scope="row">${one.from}</th><td data-label="To">${one.to}</td><td data-label="Status">${stateOf(one)}</td>
<td data-label="Caller ID">${one.caller_id}</td><td class="number" data-label="Duration">${one.duration_seconds === null ? '–' : duration(one.duration_seconds as number)}</td><td data-label="Created">${ago(one.created_at as Date)}</td></tr>`,
)}</tbody></table>`

const stateOf = ({ status, reason }: Shown): Html =>
  html`<span class="${status === 'failed' && 'bad'}">${words(status)}</span>${reason && html` <span class="quiet">${words(reason)}</span>`}`
