import { z } from 'zod'
import * as attempts from '#sql/push/attempts.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as messages from '#sql/push/messages.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { describeTarget } from '#tasks/push/rules/target-of.ts'
import { page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './apps.ts'

const most = 100

export const read = page({
  path: '/push/messages/{message_id}',
  summary: 'Show a message and its deliveries',
  section,
  permission: 'log:read',
  params: z.object({ message_id: pathId('message') }),
  async view({ db, member, may, doer, params }) {
    const found = await mustFind(messages.find(db, member.orgId, params.message_id), 'message')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'push_message', id: found.id })
    const shown = await deliveries.listForMessage(db, found.id, { before: undefined, limit: most })
    const made = await attempts.listOf(
      db,
      found.id,
      shown.map(({ id }) => id),
    )
    const counts = await deliveries.countByStatus(db, found.id)
    const stop =
      may('areas:write') &&
      canStop(found) &&
      actionButton(member, `/app/push/messages/${found.id}/cancel`, 'Cancel', { grave: true })
    const title = `Message to ${describeTarget(found)}`
    const main = html`${parentLink('App', `${section.path}/${found.app_id}`)}<div class="title"><h1>${title}</h1>${stop}</div>
<dl class="facts">${[...facts(found, contents), ['Deliveries', words(counts)] as const].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
<section><h2>Deliveries</h2>${
      shown.length === 0
        ? emptyState('No deliveries: the message has no devices.')
        : deliveryTable(
            shown,
            Map.groupBy(made, ({ delivery_id }) => delivery_id),
          )
    }</section>`
    return { title, main }
  },
})

/** True if a message can be cancelled. It must be scheduled, or be for many recipients and not have ended. */
const canStop = ({ status, target, ended_at }: messages.Message): boolean =>
  status === 'scheduled' || (target !== 'user' && ended_at === null)

const words = (counts: Awaited<ReturnType<typeof deliveries.countByStatus>>): string =>
  deliveries.Status.options.flatMap((status) => (counts[status] ? [`${counts[status]} ${status}`] : [])).join(', ') ||
  'none'

function facts(message: messages.Message, withContents: boolean) {
  const { id, status, content, created_at, expires_at, send_at, rate, quiet_hours } = message
  return [
    ['Message', html`<span class="id">${id}</span>`],
    ['State', status],
    ['Accepted', `${formatInstant(created_at)} UTC`],
    ...(status === 'scheduled' ? [['Scheduled for', `${formatInstant(send_at)} UTC`] as const] : []),
    ...(rate === null ? [] : [['Rate limit', `${rate} deliveries per second`] as const]),
    ...(quiet_hours
      ? [['Quiet hours', `${quiet_hours.from} to ${quiet_hours.to}, in each person’s time zone`] as const]
      : []),
    ['Expires', `${formatInstant(expires_at)} UTC`],
    ...(withContents ? [['Title', content.title ?? '–'] as const, ['Text', content.body ?? '–'] as const] : []),
  ] as const
}

const deliveryTable = (
  shown: readonly deliveries.Delivery[],
  made: ReadonlyMap<string, readonly attempts.Attempt[]>,
): Html =>
  dataTable('Deliveries', shown, {
    Provider: ['', (one) => html`${one.provider}${one.platform && html` <span class="quiet">${one.platform}</span>`}`],
    State: [
      'break',
      (one) => html`${statusBadge(one.status)}${one.reason && html` <span class="quiet">${one.reason}</span>`}`,
    ],
    Attempts: ['wide break', (one) => (made.get(one.id) ?? []).map(attemptOf)],
    Receipts: (one) => receipts(one),
  })

const attemptOf = (one: attempts.Attempt): Html =>
  html`<p>${one.number}. ${one.outcome} <code>${[one.provider_status, one.reason].filter((part) => part !== null).join(' ')}</code> <span class="quiet">${formatInstant(one.created_at)} UTC</span></p>`

const receipts = (one: deliveries.Delivery): Html =>
  html`${(['delivered', 'displayed', 'opened', 'dismissed'] as const).map((word) => one[`${word}_at`] && html`<p>${word} <span class="quiet">${formatInstant(one[`${word}_at`] as Date)} UTC</span></p>`)}`
