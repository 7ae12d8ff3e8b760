import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as attempts from '#sql/push/attempts.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import { findMessage } from '#sql/push/overview.ts'
import { describeTarget } from '#tasks/push/rules/target-of.ts'
import { daySpans } from '../../http/console/day-spans.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { counted, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { spanLinks } from '../../http/html/plot.ts'
import { mustFind } from '../../http/must-find.ts'

export const pushes = { title: 'Push', path: '/ops/push', group: 'Messaging' } as const

const find = (
  value = '',
  fault?: string,
): Html => html`${filterForm([{ name: 'find', label: 'Message ID or delivery ID' }], { find: value }, { button: 'Find' })}
${fault && html`<p class="fault" role="alert">${fault}</p>`}`

export const overview = page({
  path: '/push',
  summary: 'Show push results',
  section: pushes,
  query: z.object({ find: z.string().max(100).optional(), span: z.enum(daySpans).catch('7d') }),
  async view({ db, ctx, region, query: { find: wanted, span } }) {
    const id = Id.safeParse(wanted?.trim().toLowerCase())
    const found = id.success ? await findMessage(db, id.data) : null
    if (found) {
      ctx.redirect(`/ops/push/messages/${found.id}`)
      return { title: 'Push', main: html`<h1>Push</h1>`, status: 303 }
    }
    const fault = wanted ? 'The message does not exist or has been deleted.' : undefined
    const main = html`<div class="title"><h1>Push</h1>${spanLinks('/ops/push', span, daySpans)}</div>
${find(wanted, fault)}${await region(`push/${span}`)}`
    return { title: 'Push', main }
  },
})

export const message = page({
  path: '/push/messages/{messageId}',
  summary: 'Show the trace of a message',
  section: pushes,
  params: z.object({ messageId: Id }),
  query: z.object({ before: Id.optional() }),
  async view({ db, params: { messageId }, query: { before } }) {
    const found = await mustFind(findMessage(db, messageId), 'message')
    const rows = await deliveries.listForMessage(db, found.id, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(rows)
    const made = await attempts.listOf(
      db,
      found.id,
      shown.map(({ id }) => id),
    )
    const by = Map.groupBy(made, ({ delivery_id }) => delivery_id)
    const facts: [string, Content][] = [
      ['Organisation', found.org],
      ['App', found.app],
      ['Target', describeTarget(found)],
      ['Status', `${found.status}${found.dry_run ? ', a dry run' : ''}`],
      ['Accepted', html`${formatInstant(found.created_at)} UTC`],
      ['Scheduled for', html`${formatInstant(found.send_at)} UTC`],
      ['Expires', html`${formatInstant(found.expires_at)} UTC`],
    ]
    const main = html`<p class="trail"><a href="/ops/push">Push</a></p><h1>Message <span class="id">${found.id}</span></h1>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section aria-labelledby="deliveries"><h2 id="deliveries">Deliveries</h2>
${shown.length === 0 ? html`<p class="empty">No deliveries${before && ' before this one'}.</p>` : deliveryTable(shown, by)}
${older(`/ops/push/messages/${found.id}`)}</section>`
    return { title: `Message to ${describeTarget(found)}`, main }
  },
})

const deliveryTable = (
  rows: readonly deliveries.Delivery[],
  by: ReadonlyMap<string, readonly attempts.Attempt[]>,
): Html =>
  dataTable('Deliveries and attempts', rows, {
    Installation: ['id', (row) => row.installation_id],
    Provider: (row) => html`${row.provider}${row.platform && html` <span class="quiet">${row.platform}</span>`}`,
    Status: (row) => html`${row.status}${row.reason && html` <span class="quiet">${row.reason}</span>`}`,
    Attempts: ['wide break', (row) => (by.get(row.id) ?? []).map(attempt)],
    Receipts: (row) => receipts(row),
  })

const attempt = (one: attempts.Attempt): Html => html`<p>${one.number}. ${one.outcome}
<code>${[one.provider_status, one.reason, one.error].filter((part) => part !== null).join(' ')}</code>
<span class="quiet">${one.latency_ms !== null && `${Math.round(one.latency_ms)} ms, `}${one.retry_after_seconds !== null && `again after ${counted(one.retry_after_seconds, 'second')}, `}${formatInstant(one.created_at)} UTC</span></p>`

function receipts({ delivered_at, displayed_at, opened_at, dismissed_at }: deliveries.Delivery): Content {
  const milestones = [
    ['delivered', delivered_at],
    ['displayed', displayed_at],
    ['opened', opened_at],
    ['dismissed', dismissed_at],
  ] as const
  return milestones.map(([word, at]) => at && html`<p>${word} <span class="quiet">${formatInstant(at)} UTC</span></p>`)
}
