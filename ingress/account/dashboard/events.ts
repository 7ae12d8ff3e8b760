import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as events from '#sql/webhooks/events.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { allTypes } from '#tasks/webhooks/rules/event-types.ts'
import { setKeepEvents } from '#tasks/webhooks/rules/manage.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, olderLink, parentLink } from '../../http/html/parts.ts'
import { section } from './webhooks.ts'

const perPage = 50

export const overview = page({
  path: '/events',
  summary: 'List events, newest first',
  section,
  permission: 'webhooks:read',
  query: z.object({ type: optionalField(z.string().max(100)), before: Id.optional() }),
  async view({ db, member, may, doer, query: { type, before } }) {
    const found = await events.list(db, member.orgId, {
      where: whereOf(events.filters, { type }),
      before,
      limit: perPage + 1,
    })
    const shown = found.slice(0, perPage)
    const contents = may('contents:read')
    if (contents && shown.length > 0) await recordContentsRead(db, doer, { kind: 'event' })
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`${parentLink('Webhooks', section.path)}<h1>Events</h1>
<form class="filter" role="search"><div><label for="type">Type</label><select id="type" name="type"><option value="">any</option>${allTypes.map((one) => html`<option${one === type && html` selected`}>${one}</option>`)}</select></div><div class="send"><button>Filter events</button></div></form>
${shown.length === 0 ? emptyState('No events match these filters.') : eventTable(shown, contents)}
${last && olderLink('/app/events', { type, before: last.id })}`
    return { title: 'Events', main }
  },
})

const eventTable = (shown: readonly events.Event[], contents: boolean): Html => html`<table class="data stacks">
<caption class="unseen">Events</caption>
<thead><tr><th scope="col">Type</th><th scope="col">Time</th><th scope="col">Id</th></tr></thead>
<tbody>${shown.map(
  ({
    id,
    type,
    created_at,
    data,
  }) => html`<tr><th scope="row" class="break">${type}${contents && html`<details><summary>Data</summary><pre>${JSON.stringify(data, null, 2).slice(0, 20_000)}</pre></details>`}</th>
<td data-label="Time">${ago(created_at)}</td><td data-label="Id"><span class="id">${id}</span></td></tr>`,
)}</tbody></table>`

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
