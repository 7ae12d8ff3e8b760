import { z } from 'zod'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { factList } from './fields.ts'
import { section, webhookTitle } from './webhooks.ts'

export const read = page({
  path: '/webhooks/{id}/deliveries/{delivery_id}',
  summary: 'Show a delivery with its payload and response',
  section,
  permission: 'webhooks:read',
  params: z.object({ id: pathId('webhook'), delivery_id: pathId('delivery') }),
  async view({ db, member, may, doer, params: { id, delivery_id } }) {
    const endpoint = await mustFind(endpoints.find(db, { orgId: member.orgId }, id), 'webhook')
    const found = await mustFind(deliveries.find(db, id, delivery_id), 'delivery')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'webhook_answer', id })
    const main = html`${parentLink(webhookTitle(endpoint), `/app/webhooks/${id}`)}
<div class="title"><h1>${found.type}</h1>${may('webhooks:write') && replayButton(member, found)}</div>
${factList(factsOf(found))}
${contents ? exchange(found) : emptyState('Your role cannot view payloads and responses.')}
<section><h2>Attempts</h2>${attemptTable(found)}</section>`
    return { title: found.type, main }
  },
})

const replayButton = (member: Member, { id, endpoint_id, type }: deliveries.Whole): Html =>
  actionButton(member, `/app/webhooks/${endpoint_id}/deliveries/${id}/replay`, 'Deliver again', { of: type })

export const deliveryState = ({ status, due_at }: Pick<deliveries.View, 'status' | 'due_at'>): Html =>
  html`${statusBadge(status)}${status === 'pending' && due_at > new Date() && html` <span class="quiet">next attempt ${ago(due_at)}</span>`}`

const factsOf = (one: deliveries.Whole): (readonly [string, Content])[] => [
  ['Status', deliveryState(one)],
  [
    'Response',
    html`${one.response_status ?? quiet('none')}${one.latency_ms !== null && html` <span class="quiet">${one.latency_ms} ms</span>`}`,
  ],
  ...(one.error ? [['Error', html`<span class="bad">${one.error}</span>`] as const] : []),
  ['Event', html`<a class="id" href="/app/events/${one.event_id}">${one.event_id}</a>`],
  ['Event time', `${formatInstant(one.occurred_at)} UTC`],
  ['Last attempt', ago(one.attempted_at)],
]

/** Shows the same body as the delivery, and the response next to it. */
function exchange(one: deliveries.Whole): Html {
  const sent = { type: one.type, timestamp: one.occurred_at.toISOString(), data: one.data }
  const headers = Object.entries(one.response_headers ?? {})
  return html`<div class="exchange"><section><h2>Payload</h2>
<pre tabindex="0">${JSON.stringify(sent, null, 2).slice(0, 40_000)}</pre></section>
<section><h2>Response</h2>
${
  one.response_status === null
    ? emptyState(
        one.attempts === 0 ? 'The response appears here after the first attempt.' : 'The server did not respond.',
      )
    : html`<pre tabindex="0">${one.response_status}${headers.map(([name, value]) => `\n${name}: ${value}`)}

${one.response_head || '(empty body)'}</pre><p class="quiet">Up to 1 KiB of the body. Cookies are not stored.</p>`
}</section></div>`
}

function attemptTable({ attempt_log }: deliveries.Whole): Html {
  const all = (attempt_log ?? []).map((one, i) => ({ ...one, number: i + 1 })).reverse()
  if (all.length === 0) return emptyState('Attempts appear here.')
  return dataTable('Attempts, newest first', all, {
    Time: ['', ({ at }) => html`${formatInstant(at)} UTC`],
    Status: ({ status }) => status ?? quiet('no response'),
    Duration: ['number', ({ ms }) => `${ms} ms`],
    Error: ['break', ({ error }) => error ?? quiet('none')],
  })
}
