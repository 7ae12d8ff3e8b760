import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import * as events from '#sql/notify/events.ts'
import * as marks from '#sql/notify/inbox-marks.ts'
import type { Channel } from '#sql/notify/preferences.ts'
import * as steps from '#sql/notify/run-steps.ts'
import * as runs from '#sql/notify/runs.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState } from '../../http/html/parts.ts'
import { kindTitles, stepIcon } from './step-icons.ts'
import { messagePaths } from './trace.ts'

/** What became of an event on a channel. */
export interface Delivery {
  channel: Channel
  state: string
  reason: string | null
  detail: string | null
  messageId: string | null
}

/** Events on one page of a timeline. */
export const shownEvents = 20

type Item = Awaited<ReturnType<typeof marks.findStates>>[number]

/** Returns the deliveries of events: inbox items, copies, and messages of workflow steps. */
export async function listDeliveries(
  db: Db,
  found: readonly events.Event[],
): Promise<ReadonlyMap<string, readonly Delivery[]>> {
  const ids = found.map(({ id }) => id)
  const items = new Map((await marks.findStates(db, ids)).map((item) => [item.id, item]))
  const sent = Map.groupBy(await copies.listOfMany(db, ids), ({ event_id }) => event_id)
  const traced = Map.groupBy(
    await steps.listOf(
      db,
      found.flatMap(({ run_id }) => run_id ?? []),
    ),
    ({ run_id }) => run_id,
  )
  return new Map(
    found.map((event) => {
      const item = items.get(event.id)
      const ofCopies = (sent.get(event.id) ?? []).map(fromCopy)
      const ofSteps = (event.run_id ? (traced.get(event.run_id) ?? []) : []).flatMap(fromStep)
      return [event.id, [...(item ? [fromItem(item)] : []), ...ofCopies, ...ofSteps]]
    }),
  )
}

const nothing = { reason: null, detail: null, messageId: null }

const fromItem = ({ read_at, seen_at, archived_at }: Item): Delivery => ({
  channel: 'in_app',
  state: archived_at ? 'archived' : read_at ? 'read' : seen_at ? 'seen' : 'unread',
  ...nothing,
})

const fromCopy = ({ channel, status, reason, detail, message_id }: copies.Copy): Delivery => ({
  ...{ channel, state: status, reason, detail, messageId: message_id },
})

/** The inbox item has its own entry. */
const fromStep = ({ channel, state, reason, detail, message_id }: steps.RunStep): Delivery[] =>
  channel === null || (channel === 'in_app' && state === 'done')
    ? []
    : [{ channel, state: state === 'done' ? 'accepted' : state, reason, detail, messageId: message_id }]

export const renderDelivery = ({ channel, state, reason, detail, messageId }: Delivery): Html => {
  const path = messagePaths[channel]
  return html`<li>${stepIcon(channel)}<span>${kindTitles[channel]}: ${statusBadge(state)}${reason && html` <code>${reason}</code>`}${detail && html` <span class="quiet">${detail}</span>`}${messageId && path && html` <a href="${path}${messageId}">Show message</a>`}</span></li>`
}

const timelineRegion = (withText: boolean): OrgRegion => ({
  everyMs: 2_000,
  permission: withText ? 'contents:read' : 'log:read',
  async read(db, orgId, [user_id]) {
    if (!Id.safeParse(user_id).success) return null
    const key = { org_id: orgId, user_id: user_id as string }
    return await renderTimeline(db, await events.listOf(db, key, { before: undefined, limit: shownEvents }), withText)
  },
})

/** Show the latest events of the person whose ID in the tables follows the name of the region. */
export const timelineRegions = {
  'notify-timeline': timelineRegion(false),
  'notify-timeline-text': timelineRegion(true),
}

export async function renderTimeline(db: Db, found: readonly events.Event[], withText: boolean): Promise<Html> {
  if (found.length === 0) return emptyState('No events yet. Events for this person appear here with their messages.')
  const deliveries = await listDeliveries(db, found)
  const runIds = found.flatMap(({ run_id }) => run_id ?? [])
  const waiting = new Set((await runs.listWaiting(db, runIds)).map(({ id }) => id))
  return html`<ol class="timeline">${found.map(({ id, type, product_key, title, created_at, run_id }) => {
    const all = deliveries.get(id) ?? []
    return html`<li data-key="${id}"><p class="timeline-head"><a href="/app/notify/events/${id}">${withText ? title : type}</a> <span class="quiet">${product_key} <code>${type}</code></span> ${ago(created_at)}</p>
<ul>${all.map(renderDelivery)}${all.length === 0 && html`<li class="quiet">No message.</li>`}</ul>
${run_id && html`<p><a href="/app/notify/runs/${run_id}">${waiting.has(run_id) ? 'Trace of the run in progress' : 'Trace of the run'}</a></p>`}</li>`
  })}</ol>`
}
