import { Id } from '#lib/ids.ts'
import * as attempts from '#sql/push/attempts.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as messages from '#sql/push/messages.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { copyable, emptyState } from '../../http/html/parts.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { explainAnswer } from './answers.ts'
import { providerNames } from './providers.ts'

const most = 100

/** State and deliveries of a message, with the answers of the providers. Contains no contents. */
export const messageRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await messages.find(db, orgId, id.data) : null
    if (!found) return null
    const counts = await deliveries.countByStatus(db, found.id)
    const shown = await deliveries.listForMessage(db, found.id, { before: undefined, limit: most })
    const made = await attempts.listOf(
      db,
      found.id,
      shown.map(({ id }) => id),
    )
    const byDelivery = Map.groupBy(made, ({ delivery_id }) => delivery_id)
    const total = Object.values(counts).reduce((sum, value) => sum + (value ?? 0), 0)
    return html`<dl class="facts"${found.ended_at !== null && html` data-ended`}>${factsOf(found, wordsOf(counts)).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${total > 1 && renderTiles(deliveries.Status.options.map((status) => [status, count(counts[status] ?? 0)] as const))}
<section><h2>Deliveries</h2>${
      shown.length === 0
        ? emptyState(
            'No deliveries: the message has no devices.',
            found.status === 'no_devices' && 'Register a device of the person, then send the message again.',
          )
        : deliveryTable(shown, byDelivery)
    }${total > shown.length && html`<p class="more quiet">The ${count(most)} newest of ${count(total)} deliveries.</p>`}</section>`
  },
}

function factsOf(
  { id, status, content, created_at, expires_at, send_at, rate, quiet_hours }: messages.Message,
  words: string,
) {
  const { template } = content
  return [
    ['State', status],
    ['Deliveries', words],
    ['Accepted', `${formatInstant(created_at)} UTC`],
    ...(status === 'scheduled' ? [['Scheduled for', `${formatInstant(send_at)} UTC`] as const] : []),
    ...(rate === null ? [] : [['Rate limit', `${rate} deliveries per second`] as const]),
    ...(quiet_hours
      ? [['Quiet hours', `${quiet_hours.from} to ${quiet_hours.to}, in each person’s time zone`] as const]
      : []),
    ['Expires', `${formatInstant(expires_at)} UTC`],
    ...(template
      ? [['Template', html`<a href="/app/push/templates/${template.id}">version ${template.version}</a>`] as const]
      : []),
    ['Message', copyable(id, 'the message ID')],
  ] as const
}

const wordsOf = (counts: Awaited<ReturnType<typeof deliveries.countByStatus>>): string =>
  deliveries.Status.options.flatMap((status) => (counts[status] ? [`${counts[status]} ${status}`] : [])).join(', ') ||
  'none'

type AttemptsOf = ReadonlyMap<string, readonly attempts.Attempt[]>

const deliveryTable = (shown: readonly deliveries.DeliveryView[], made: AttemptsOf): Html =>
  dataTable({ caption: 'Deliveries', key: ({ id }) => `delivery-${id}` }, shown, {
    Provider: ['', (one) => html`${one.provider}${one.platform && html` <span class="quiet">${one.platform}</span>`}`],
    State: [
      'break',
      (one) =>
        html`${statusBadge(one.status, isBad(one) ? { as: 'failed' } : {})}${one.reason && html` <span class="quiet">${one.reason}</span>`}`,
    ],
    'Answer of the provider': ['wide break', (one) => answersOf(one, made.get(one.id) ?? [])],
    'What to do': ['wide', (one) => adviceFor(one, made.get(one.id) ?? [])],
    Receipts: (one) => receipts(one),
  })

const isBad = ({ status }: deliveries.Delivery): boolean => status === 'failed' || status === 'expired'

function answersOf({ provider, status, due_at }: deliveries.Delivery, made: readonly attempts.Attempt[]): Html {
  const next = status === 'queued' && html`<p class="quiet">next attempt ${ago(due_at)}</p>`
  if (made.length === 0) return html`${quiet(provider === 'sse' ? 'stored in the stream' : 'no attempt yet')}${next}`
  return html`${made.map(attemptOf)}${next}`
}

const attemptOf = (one: attempts.Attempt): Html =>
  html`<p>${one.number}. ${one.outcome} <code>${[one.provider_status, one.reason].filter((part) => part !== null).join(' ')}</code>${one.latency_ms !== null && html` <span class="quiet">${count(Math.round(one.latency_ms))} ms</span>`} <span class="quiet">${formatInstant(one.created_at)} UTC</span>${one.error && html` <span class="quiet">${one.error}</span>`}</p>`

function adviceFor(one: deliveries.Delivery, made: readonly attempts.Attempt[]): Html {
  if (one.status === 'sent' || one.status === 'delivered')
    return quiet(one.reason === 'dry_run' ? 'dry run' : 'nothing')
  const last = made.at(-1)
  const found = explainAnswer(one.reason ?? last?.reason ?? null, last?.provider_status ?? null)
  if (found) return html`<p>${found.means} ${found.todo}</p>`
  if (one.status === 'queued') return quiet('wait')
  return html`<p>${providerNames[one.provider]} rejected the delivery. See its answer, and compare the payload with its documentation.</p>`
}

const receipts = (one: deliveries.Delivery): Html =>
  html`${(['delivered', 'displayed', 'opened', 'dismissed'] as const).map((word) => one[`${word}_at`] && html`<p>${word} <span class="quiet">${formatInstant(one[`${word}_at`] as Date)} UTC</span></p>`)}`
