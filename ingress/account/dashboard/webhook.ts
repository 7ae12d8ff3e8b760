import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField, selectField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { deliveryState } from './delivery.ts'
import { factList } from './fields.ts'
import { section, webhookState, webhookTitle } from './webhooks.ts'

export const read = page({
  path: '/webhooks/{id}',
  summary: 'Show a webhook and its deliveries',
  section,
  permission: 'webhooks:read',
  params: z.object({ id: pathId('webhook') }),
  query: z.object({ status: optionalField(deliveries.Status), before: Id.optional() }),
  async view({ db, member, may, region, params: { id }, query: { status, before } }) {
    const found = await mustFind(endpoints.find(db, { orgId: member.orgId }, id), 'webhook')
    const live = before === undefined
    const log = live ? await region(`deliveries/${id}/${status ?? ''}`) : await deliveryList(db, id, { status, before })
    const writes = may('webhooks:write')
    const main = html`${parentLink('Webhooks', section.path)}<h1>${webhookTitle(found)}</h1>
${writes && buttons(found, member)}
${factList(factsOf(found))}
${writes && sampleForm(member, id)}
<section><h2>Deliveries</h2>
${filterForm([{ name: 'status', label: 'Status', options: deliveries.Status.options }], { status }, { button: 'Filter deliveries' })}
${log}</section>`
    return { title: webhookTitle(found), main }
  },
})

function buttons({ id, status, paused_at }: endpoints.Endpoint, member: Member): Html {
  const link = (name: string, words: string) => html`<a class="button" href="/app/webhooks/${id}/${name}">${words}</a> `
  const goes = status === 'enabled' && !paused_at
  return html`<div class="actions">${goes ? actionButton(member, `/app/webhooks/${id}/pause`, 'Pause webhook') : actionButton(member, `/app/webhooks/${id}/resume`, 'Resume webhook')}
${link('edit', 'Edit webhook')}${link('replay', 'Deliver events again')}${link('rotate', 'Rotate secret')}<a class="button grave" href="/app/webhooks/${id}/remove">Delete webhook</a></div>`
}

const factsOf = (one: endpoints.Endpoint): (readonly [string, Content])[] => [
  ['Status', webhookState(one)],
  ['URL', html`<span class="break">${one.url}</span>`],
  ['Events', one.events.join(', ')],
  ['Mode', one.mode ?? 'live and test'],
  ['Created', `${formatInstant(one.created_at)} UTC`],
  ...(one.previous_until && one.previous_until > new Date()
    ? [['Previous secret', html`expires ${formatInstant(one.previous_until)} UTC`] as const]
    : []),
]

const sampleForm = (member: Member, id: string): Html => html`<section><h2>Sample event</h2>
<form class="form" method="post" action="/app/webhooks/${id}/sample">${tokenField(member)}
${selectField({ given: {}, faults: {} }, { name: 'type', label: 'Type', options: allTypes.map((type) => [type, type] as const), otherwise: 'webhooks.test', hint: 'Sends one signed event with sample data, even if the webhook does not subscribe to this event type.' })}
<button>Send sample</button></form></section>`

/** The newest deliveries. Only the first page is live. */
export const deliveryRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'webhooks:read',
  async read(db, orgId, [given, word]) {
    const id = Id.safeParse(given)
    const found = id.success ? await endpoints.find(db, { orgId }, id.data) : null
    const status = deliveries.Status.safeParse(word).data
    return found && (await deliveryList(db, found.id, { status, before: undefined }))
  },
}

async function deliveryList(
  db: DatabasePool,
  id: string,
  { status, before }: { status: deliveries.Status | undefined; before: string | undefined },
): Promise<Html> {
  const where = whereOf(deliveries.filters, { status })
  const { shown, older } = cutPage(await deliveries.list(db, id, { where, before, limit: perPage + 1 }))
  if (shown.length > 0) return html`${deliveryTable(shown)}\n${older(`/app/webhooks/${id}`, { status })}`
  return status === undefined
    ? emptyState('Deliveries appear here.', 'Send a sample event to try the webhook.')
    : emptyState('No deliveries match these filters.')
}

const deliveryTable = (shown: readonly deliveries.View[]): Html =>
  dataTable({ caption: 'Deliveries', key: (one) => one.id }, shown, {
    Event: (one) => html`<a href="/app/webhooks/${one.endpoint_id}/deliveries/${one.id}">${one.type}</a>`,
    Status: (one) => deliveryState(one),
    Attempts: ['number', (one) => one.attempts],
    Response: ['break', (one) => answerOf(one)],
    Time: (one) => ago(one.attempted_at ?? one.created_at),
  })

const answerOf = ({ response_status, latency_ms, error }: deliveries.View): Html =>
  html`${response_status ?? quiet('none')}${latency_ms !== null && html` <span class="quiet">${latency_ms} ms</span>`}${error && html` <span class="bad">${error}</span>`}`
