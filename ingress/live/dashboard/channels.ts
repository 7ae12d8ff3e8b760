import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as channels from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import {
  copyable,
  emptyState,
  linkButton,
  parentLink,
  renderFault,
  showSecretOnce,
  tokenField,
} from '../../http/html/parts.ts'
import { create } from '../channels.ts'

export const section = {
  title: 'Live',
  path: '/app/live',
  group: 'Video and live',
  guide: 'live',
} as const satisfies DashboardSection

export const overview = page({
  path: '/live',
  summary: 'List live channels',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await channels.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const ids = shown.map(({ id }) => id)
    const main = html`<div class="title"><h1>Live</h1>${may('areas:write') && html`<a class="button primary" href="/app/live/new">Create channel</a>`}</div>
${shown.length === 0 ? emptyState('No live channels yet.', 'Create a channel, then enter its server URL and stream key in your encoder, such as OBS.', may('areas:write') && linkButton('/app/live/new', 'Create channel')) : channelTable(shown, await liveSessions.findShown(db, ids))}
${older(section.path)}`
    return { title: 'Live', main }
  },
})

const channelTable = (
  shown: readonly channels.Channel[],
  sessions: ReadonlyMap<string, liveSessions.SessionView>,
): Html =>
  dataTable('Live channels', shown, {
    Channel: (one) => html`<a href="${section.path}/${one.id}">${one.name}</a>`,
    State: (one) => stateOf(sessions.get(one.id)),
    Recording: (one) => (one.record ? 'yes' : 'no'),
    Visibility: (one) => one.visibility,
    Created: (one) => ago(one.created_at),
  })

export function stateOf(session: Pick<liveSessions.SessionView, 'state'> | undefined): Html {
  return statusBadge(session?.state ?? 'idle')
}

const Key = z.object({ url: z.string(), secureUrl: z.string().nullable(), streamKey: z.string() })

const Made = z.object({
  channelId: Id,
  name: z.string(),
  ingest: z.object({ rtmp: Key, backup: Key, srt: z.string().nullable() }),
})

export const { show: askForChannel, submit: make } = formPage({
  path: '/live/new',
  summary: 'Create a live channel',
  section,
  permission: 'areas:write',
  fields: z.object({
    name: z.string(),
    slug: optionalField(z.string()),
    visibility: channels.Visibility,
    record: z.enum(['yes', 'no']),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Live', section.path)}<h1>Create a channel</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true })}
${textField(filled, { name: 'slug', label: 'Slug', hint: 'Optional. Lower-case letters, digits and hyphens. Default: created from the name.' })}
${selectField(filled, { name: 'visibility', label: 'Visibility', options: visibilities })}
${selectField(filled, { name: 'record', label: 'Record broadcasts', options: recording })}
<button>Create channel</button></form>`
    return { title: 'Create a channel', main }
  },
  async submit({ ask, given: { record, ...given } }) {
    const made = await ask(create, { body: { ...given, record: record === 'yes' } }, Made)
    return { view: { title: made.name, main: keysOnce(made) } }
  },
})

export const visibilities = [
  ['signed', 'signed: viewers with a playback session'],
  ['unlisted', 'unlisted: anyone who has the URL'],
  ['public', 'public: everyone, and broadcasts are listed'],
] as const

export const recording = [
  ['yes', 'yes: each broadcast becomes a video'],
  ['no', 'no'],
] as const

const keysOnce = ({ channelId, name, ingest: { rtmp, backup, srt } }: z.output<typeof Made>): Html => {
  const path = `${section.path}/${channelId}`
  return html`${parentLink('Live', section.path)}<h1>${name}</h1>
${showSecretOnce(rtmp.streamKey, 'This is the stream key. The key is not shown again. You can replace the key at any time.')}
<dl class="facts"><div><dt>Server</dt><dd>${copyable(rtmp.url, 'the server URL')}</dd></div>
${rtmp.secureUrl && html`<div><dt>Server (TLS)</dt><dd>${copyable(rtmp.secureUrl, 'the server URL for TLS')}</dd></div>`}
<div><dt>Backup key</dt><dd>${copyable(backup.streamKey, 'the backup key')}</dd></div>
${srt && html`<div><dt>SRT</dt><dd>${copyable(srt, 'the SRT URL')}</dd></div>`}</dl>
<p class="actions"><a class="button primary" href="${path}">Continue to the channel</a></p>`
}
