import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as events from '#sql/notify/events.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { ago } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { personPath, section } from './section.ts'
import { listDeliveries, renderDelivery } from './timeline.ts'

const choosers: Readonly<Record<events.Event['chosen_by'], string>> = {
  event: 'the event',
  workflow: 'a workflow',
  type: 'the person’s preference for the type',
  product: 'the person’s preference for the product',
  default: 'the default: in-app only',
}

export const one = page({
  path: '/notify/events/{id}',
  summary: 'Show an event and its messages',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('event') }),
  async view({ db, member, may, region, params: { id } }) {
    const event = await mustFind(events.find(db, member.orgId, id), 'event')
    const { title, body, url, data, product_key, type, run_id } = event
    const user = event.subject ?? event.user_id
    const withText = may('contents:read')
    const isOwn = user === member.userId
    const person = isOwn ? `You (${member.email})` : html`<a href="${personPath(user)}">${user}</a>`
    const main = html`${isOwn ? parentLink('Notifications', section.path) : parentLink(user, personPath(user))}<h1>${withText ? title : type}</h1>
<dl class="facts"><div><dt>Person</dt><dd>${person}</dd></div>
<div><dt>Event</dt><dd>${product_key} <code>${type}</code></dd></div><div><dt>Created</dt><dd>${ago(event.created_at)}</dd></div>
<div><dt>Channels chosen by</dt><dd>${choosers[event.chosen_by]}</dd></div>${run_id && html`<div><dt>Run</dt><dd><a href="/app/notify/runs/${run_id}">Show trace</a></dd></div>`}</dl>
<section><h2>Messages</h2>${await region(`notify-event/${id}`)}</section>
${
  withText &&
  html`<section><h2>Content</h2>${body === null ? html`<p class="quiet">No body.</p>` : html`<pre tabindex="0" aria-label="Body">${body}</pre>`}
${url !== null && html`<p><code>${url}</code></p>`}${Object.keys(data).length > 0 && html`<pre tabindex="0" aria-label="Data">${JSON.stringify(data, null, 2)}</pre>`}</section>`
}`
    return { title: withText ? title : type, main }
  },
})

const reasons: Readonly<Record<NonNullable<events.ChannelUse['reason']>, string>> = {
  not_chosen: 'not chosen',
  no_address: 'no email address',
  no_app: 'no push app',
  no_phone: 'no phone number',
  no_connection: 'no active chat connection',
  workflow: 'decided by the workflow',
}

/** Shows the messages of the event whose ID follows the name of the region. */
export const eventRegion: OrgRegion = {
  everyMs: 1_000,
  permission: 'log:read',
  async read(db, orgId, [id]) {
    const event = Id.safeParse(id).success ? await events.find(db, orgId, id as string) : null
    if (!event) return null
    const all = (await listDeliveries(db, [event])).get(event.id) ?? []
    const unused = event.channels.filter(
      ({ used, reason }) => !used && reason !== 'not_chosen' && reason !== 'workflow',
    )
    if (all.length + unused.length === 0) return emptyState('No message yet.')
    return html`<div class="timeline"><ul>${all.map(renderDelivery)}${unused.map(
      ({ channel, reason }) => html`<li class="quiet">${channel}: ${reason && reasons[reason]}</li>`,
    )}</ul></div>`
  },
}
