import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as events from '#sql/webhooks/events.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import { setKeepEvents } from '#tasks/webhooks/rules/manage.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, shortId } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { deliveryState } from './delivery.ts'
import { factList } from './fields.ts'
import { section } from './webhooks.ts'

export const overview = page({
  path: '/events',
  summary: 'List events, newest first',
  section,
  permission: 'webhooks:read',
  query: z.object({ type: optionalField(z.string().max(100)), before: Id.optional() }),
  async view({ db, member, region, query: { type, before } }) {
    const filter = filterForm(
      [{ name: 'type', label: 'Type', options: allTypes }],
      { type },
      { button: 'Filter events' },
    )
    const live = before === undefined
    const main = html`${parentLink('Webhooks', section.path)}<h1>Events</h1>
${filter}
${live ? await region(`events/${type ?? ''}`) : await eventList(db, member.orgId, { type, before })}`
    return { title: 'Events', main }
  },
})

/** The newest events. Only the first page is live, because older pages do not change. */
export const eventRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'webhooks:read',
  read: async (db, orgId, [type = '']) => await eventList(db, orgId, { type: type || undefined, before: undefined }),
}

async function eventList(
  db: DatabasePool,
  orgId: string,
  { type, before }: { type: string | undefined; before: string | undefined },
): Promise<Html> {
  const found = await events.list(db, orgId, { where: whereOf(events.filters, { type }), before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  return html`${
    shown.length > 0
      ? eventTable(shown)
      : type === undefined
        ? emptyState('Your events appear here.', 'For example, an event for each email that is delivered.')
        : emptyState('No events match these filters.')
  }
${older('/app/events', { type })}`
}

const eventTable = (shown: readonly events.Event[]): Html =>
  dataTable({ caption: 'Events', key: ({ id }) => id }, shown, {
    Type: ({ id, type }) => html`<a href="/app/events/${id}">${type}</a>`,
    Time: ({ created_at }) => ago(created_at),
    ID: ({ id }) => shortId(id, { of: 'the event ID' }),
  })

export const read = page({
  path: '/events/{id}',
  summary: 'Show an event and its deliveries',
  section,
  permission: 'webhooks:read',
  params: z.object({ id: pathId('event') }),
  async view({ db, member, may, doer, params: { id } }) {
    const found = await mustFind(events.find(db, member.orgId, id), 'event')
    const contents = may('contents:read')
    if (contents) await recordContentsRead(db, doer, { kind: 'event', id })
    const sent = await deliveries.listOfEvent(db, member.orgId, id)
    const main = html`${parentLink('Events', '/app/events')}<h1>${found.type}</h1>
${factList([
  ['Time', `${formatInstant(found.created_at)} UTC`],
  ['ID', html`<span class="id">${id}</span>`],
])}
<section><h2>Data</h2>${contents ? html`<pre tabindex="0">${JSON.stringify(found.data, null, 2).slice(0, 40_000)}</pre>` : emptyState('Your role cannot view the data of events.')}</section>
<section><h2>Deliveries</h2>${sent.length === 0 ? emptyState('No webhook received this event.') : deliveryTable(sent)}</section>`
    return { title: found.type, main }
  },
})

const deliveryTable = (sent: readonly deliveries.Whole[]): Html =>
  dataTable('Deliveries', sent, {
    Delivery: (one) => html`<a href="/app/webhooks/${one.endpoint_id}/deliveries/${one.id}">${ago(one.created_at)}</a>`,
    Status: (one) => deliveryState(one),
    Attempts: ['number', (one) => one.attempts],
    Response: (one) => one.response_status ?? quiet('none'),
  })

export const keep = action({
  path: '/events/keep',
  summary: 'Turn event storage on or off',
  permission: 'webhooks:write',
  fields: z.object({ keep: z.stringbool() }),
  back: () => section.path,
  async perform({ db, doer, given: { keep } }) {
    await db.transaction((tx) => setKeepEvents(tx, toAct(doer), keep))
    return {
      to: section.path,
      told: keep ? 'Millrace now stores all events.' : 'Millrace no longer stores events that no webhook receives.',
    }
  },
})
