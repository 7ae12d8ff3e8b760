import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as events from '#sql/webhooks/events.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import { setKeepEvents } from '#tasks/webhooks/rules/manage.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink } from '../../http/html/parts.ts'
import { section } from './webhooks.ts'

export const overview = page({
  path: '/events',
  summary: 'List events, newest first',
  section,
  permission: 'webhooks:read',
  query: z.object({ type: optionalField(z.string().max(100)), before: Id.optional() }),
  async view({ db, member, may, doer, query: { type, before } }) {
    const where = whereOf(events.filters, { type })
    const found = await events.list(db, member.orgId, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const contents = may('contents:read')
    if (contents && shown.length > 0) await recordContentsRead(db, doer, { kind: 'event' })
    const main = html`${parentLink('Webhooks', section.path)}<h1>Events</h1>
${filterForm([{ name: 'type', label: 'Type', options: allTypes }], { type }, { button: 'Filter events' })}
${shown.length === 0 ? emptyState(type ? 'No events match these filters.' : 'No events yet.', 'Events of the last days appear here and are sent to your webhooks.', linkButton('/app/webhooks', 'Show webhooks')) : eventTable(shown, contents)}
${older('/app/events', { type })}`
    return { title: 'Events', main }
  },
})

const eventTable = (shown: readonly events.Event[], contents: boolean): Html =>
  dataTable('Events', shown, {
    Type: ({ type, data }) =>
      html`${type}${contents && html`<details><summary>Data</summary><pre>${JSON.stringify(data, null, 2).slice(0, 20_000)}</pre></details>`}`,
    Time: ({ created_at }) => ago(created_at),
    Id: ({ id }) => html`<span class="id">${id}</span>`,
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
