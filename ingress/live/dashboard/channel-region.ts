import { Id } from '#lib/ids.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import { channelRestreams } from '#sql/live/restreams.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, counted, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { refusalMessage } from '../refusals.ts'
import { stateOf } from './channels.ts'
import { targetTable } from './restreams.ts'

const shownBroadcasts = 10

export const channelRegion: OrgRegion = {
  everyMs: 2_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const channel = id.success ? await channels.find(db, orgId, id.data) : null
    if (!channel) return null
    const [sessions, refusal, last, targets] = await Promise.all([
      liveSessions.findShown(db, [channel.id]),
      refusals.find(db, channel.id),
      broadcasts.list(db, orgId, channel.id, { before: undefined, limit: shownBroadcasts }),
      channelRestreams.list(db, channel.id, { before: undefined, limit: maxRestreams }),
    ])
    const session = sessions.get(channel.id)
    return html`<dl class="facts"><div><dt>State</dt><dd>${stateOf(session)}</dd></div>
${session && onAir(session)}
<div><dt>Visibility</dt><dd>${channel.visibility}</dd></div><div><dt>Recording</dt><dd>${channel.record ? 'yes' : 'no'}</dd></div>
${channel.renditions.length > 0 && html`<div><dt>Renditions</dt><dd>${channel.renditions.map((height) => `${height}p`).join(', ')}${transcodeOf(session)}</dd></div>`}
${channel.slate && html`<div><dt>While the encoder is disconnected</dt><dd>slate</dd></div>`}
<div><dt>ID</dt><dd class="id">${channel.id}</dd></div></dl>
${refusal && html`<section><h2>Last rejected publisher</h2><p>${refusalMessage(refusal.reason)} <span class="quiet">${refusal.source}, ${ago(refusal.refused_at)}</span></p></section>`}
${targets.length > 0 && targetTable(targets)}
${last.length > 0 && broadcastTable(last)}`
  },
}

const transcodes = {
  on: ', active',
  unavailable: ': unavailable, because the worker has no capacity or the source has more than 60 frames per second',
  failed: ': failed; retrying',
} as const

const transcodeOf = (session: liveSessions.SessionView | undefined): string =>
  session?.facts.transcode ? transcodes[session.facts.transcode] : ''

const onAir = ({
  facts,
  source,
  started_at,
}: liveSessions.SessionView): Html => html`<div><dt>Since</dt><dd>${formatInstant(started_at)} UTC, with the ${source} key</dd></div>
${facts.width !== undefined && html`<div><dt>Video</dt><dd>${facts.width} × ${facts.height}${facts.frameRate !== undefined && `, ${Math.round(facts.frameRate)} frames per second`}</dd></div>`}
${facts.bitRate !== undefined && html`<div><dt>Bitrate</dt><dd>${(facts.bitRate / 1e6).toFixed(2)} Mb/s</dd></div>`}
${facts.viewers !== undefined && html`<div><dt>Viewers</dt><dd>${counted(facts.viewers, 'viewer')}</dd></div>`}
${(facts.warnings ?? []).length > 0 && html`<div><dt>Warnings</dt><dd>${(facts.warnings ?? []).join(' ')}</dd></div>`}`

const broadcastTable = (last: readonly broadcasts.Broadcast[]): Html => html`<section><h2>Broadcasts</h2>
${dataTable('Broadcasts, newest first', last, {
  Started: ['', (one) => html`${formatInstant(one.started_at)} UTC`],
  Ended: (one) => (one.ended_at ? ago(one.ended_at) : 'in progress'),
  'End reason': (one) => one.end_reason ?? '–',
  Recording: (one) => (one.asset_id && one.recorded_at ? html`<a href="/app/videos/${one.asset_id}">Video</a>` : '–'),
})}</section>`
