import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as recipients from '#sql/notify/broadcast-people.ts'
import * as broadcasts from '#sql/notify/broadcasts.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { renderProgressBar, statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as operations from '../broadcasts.ts'
import { renderAudience } from './broadcasts.ts'
import { broadcastPath, personPath, section } from './section.ts'

const params = z.object({ id: pathId('broadcast') })

export const one = page({
  path: '/notify/broadcasts/{id}',
  summary: 'Show a broadcast and its people',
  section,
  permission: 'log:read',
  params,
  query: z.object({ outcome: optionalField(recipients.Outcome), before: Id.optional() }),
  async view({ db, member, may, region, params: { id }, query: { outcome, before } }) {
    const broadcast = await mustFind(broadcasts.find(db, member.orgId, id), 'broadcast')
    const where = whereOf(recipients.filters, { outcome })
    const { shown, older } = cutPage(await recipients.list(db, id, { where, before, limit: perPage + 1 }))
    const cancel =
      broadcast.status === 'running' &&
      may('areas:write') &&
      actionButton(member, `${broadcastPath(id)}/cancel`, 'Cancel', { of: 'broadcast', grave: true })
    const main = html`${parentLink('Broadcasts', '/app/notify/broadcasts')}<div class="title"><h1 class="break">${broadcast.title}</h1>${cancel}</div>
${await region(`notify-broadcast/${id}`)}
${broadcast.body !== null && html`<section><h2>Body</h2><p class="break">${broadcast.body}</p></section>`}
<section><h2>People</h2>
${filterForm([{ name: 'outcome', label: 'Outcome', options: recipients.Outcome.options }], { outcome })}
${shown.length === 0 ? emptyState('No people. They appear here when they are processed.') : peopleTable(shown)}
${older(broadcastPath(id), { outcome })}</section>`
    return { title: broadcast.title, main }
  },
})

/** Shows the progress of the broadcast whose ID follows the name of the region. */
export const broadcastRegion: OrgRegion = {
  everyMs: 1_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await broadcasts.find(db, orgId, id.data) : null
    return found && renderProgress(found)
  },
}

function renderProgress(broadcast: broadcasts.Broadcast): Html {
  const { total, told, refused, failed, status, reason, product_key, type, created_at, ended_at } = broadcast
  const done = told + refused + failed
  const fraction = status === 'completed' || total === 0 ? 1 : done / total
  const state = html`${statusBadge(status)}${reason && html` <span class="quiet">${reason}</span>`}`
  return html`<p class="run-state">${state} ${renderProgressBar(Math.min(1, fraction), 'the broadcast')}</p>
<dl class="facts"><div><dt>To</dt><dd>${renderAudience(broadcast)}</dd></div>
<div><dt>Event</dt><dd class="break">${product_key} <code>${type}</code></dd></div>
<div><dt>People</dt><dd>${count(total)}</dd></div><div><dt>Notified</dt><dd>${count(told)}</dd></div>
<div><dt>Refused</dt><dd>${count(refused)}</dd></div><div><dt>Failed</dt><dd>${count(failed)}</dd></div>
<div><dt>Created</dt><dd>${ago(created_at)}</dd></div>${ended_at && html`<div><dt>Ended</dt><dd>${ago(ended_at)}</dd></div>`}</dl>`
}

const outcomeLooks = { told: 'done', waiting: 'waiting', refused: 'refused', failed: 'failed' } as const

const peopleTable = (shown: readonly recipients.Recipient[]): Html =>
  dataTable('People', shown, {
    Person: ['break', (row) => html`<a href="${personPath(row.subject)}">${row.subject}</a>`],
    Outcome: (row) =>
      statusBadge(row.outcome, {
        as: outcomeLooks[row.outcome],
        shown: row.outcome === 'told' ? 'notified' : row.outcome,
      }),
    Reason: ['break', (row) => (row.reason === null ? '–' : html`<code>${row.reason}</code>`)],
    Event: (row) =>
      row.event_id === null || row.outcome !== 'told'
        ? '–'
        : html`<a href="/app/notify/events/${row.event_id}">Show event</a>`,
    Time: (row) => ago(row.at),
  })

export const cancel = action({
  path: '/notify/broadcasts/{id}/cancel',
  summary: 'Cancel a broadcast',
  permission: 'areas:write',
  params,
  back: ({ id }) => broadcastPath(id),
  async perform({ ask, params: { id } }) {
    await ask(operations.cancel, { params: { id } }, z.object({}))
    return { to: broadcastPath(id), told: 'Broadcast cancelled.' }
  },
})
