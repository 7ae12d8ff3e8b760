import { z } from 'zod'
import * as restreams from '#sql/rooms/restreams.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { textField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, getRestreamStatus, remove, roomRestreamMessage, update } from '../restreams.ts'
import { section } from './rooms.ts'

const params = z.object({ room_id: pathId('room') })
const oneParams = params.extend({ restream_id: pathId('restream') })

const pathOf = (id: string): string => `${section.path}/${id}`

export const { show: askForTarget, submit: add } = formPage({
  path: '/rooms/{room_id}/restreams/new',
  summary: 'Broadcast a room to another platform',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ name: z.string(), url: z.string(), streamKey: z.string() }),
  async view({ db, member, params: { room_id: id }, filled, fault }) {
    const { name } = await mustFind(rooms.find(db, member.orgId, id), 'room')
    const main = html`${parentLink(name, pathOf(id))}<h1>Broadcast to another platform</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true })}
${textField(filled, { name: 'url', label: 'Server', required: true, hint: 'The server URL of the platform: rtmp://… or rtmps://…, without the stream key.' })}
${textField(filled, { name: 'streamKey', label: 'Stream key', required: true, hint: 'The stream key is encrypted and not shown again.' })}
<p class="actions"><button>Start broadcast</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Broadcast to another platform', main }
  },
  async submit({ ask, given, params: { room_id: roomId } }) {
    await ask(create, { params: { roomId }, body: given }, z.unknown())
    return { to: pathOf(roomId), told: 'Broadcast to this platform started.' }
  },
})

const enabling = (path: `/rooms/{room_id}/restreams/{restream_id}/${'on' | 'off'}`, enabled: boolean) =>
  action({
    path,
    summary: enabled ? 'Turn on a room restream target' : 'Turn off a room restream target',
    permission: 'areas:write',
    params: oneParams,
    back: ({ room_id }) => pathOf(room_id),
    async perform({ ask, params: { room_id: roomId, restream_id: restreamId } }) {
      await ask(update, { params: { roomId, restreamId }, body: { enabled } }, z.unknown())
      return {
        to: pathOf(roomId),
        told: enabled ? 'Broadcast to this platform started.' : 'Broadcast to this platform stopped.',
      }
    },
  })

export const on = enabling('/rooms/{room_id}/restreams/{restream_id}/on', true)

export const off = enabling('/rooms/{room_id}/restreams/{restream_id}/off', false)

export const forget = action({
  path: '/rooms/{room_id}/restreams/{restream_id}/remove',
  summary: 'Delete a restream target',
  permission: 'areas:write',
  params: oneParams,
  back: ({ room_id }) => pathOf(room_id),
  async perform({ ask, params: { room_id: roomId, restream_id: restreamId } }) {
    await ask(remove, { params: { roomId, restreamId } }, z.unknown())
    return { to: pathOf(roomId), told: 'Restream target and its key deleted.' }
  },
})

export async function targetsSection(
  db: Parameters<typeof restreams.list>[0],
  roomId: string,
  button: (path: string, words: string, of: string) => Html,
): Promise<Html> {
  const found = await restreams.list(db, roomId, { before: undefined, limit: maxRestreams })
  const rows = found.map(({ id, name, enabled }) => {
    const path = `${pathOf(roomId)}/restreams/${id}`
    return html`<div><dt>${name}</dt><dd class="actions">${enabled ? button(`${path}/off`, 'Pause', name) : button(`${path}/on`, 'Resume', name)} ${button(`${path}/remove`, 'Delete', name)}</dd></div>`
  })
  const more =
    found.length < maxRestreams &&
    html`<p class="actions"><a class="button" href="${pathOf(roomId)}/restreams/new">Broadcast to another platform</a></p>`
  return html`<section><h2>Broadcasts to other platforms</h2>${rows.length > 0 && html`<dl class="facts">${rows}</dl>`}${more}</section>`
}

export const targetTable = (found: readonly restreams.RestreamView[]): Html => html`<section><h2>Restream targets</h2>
<table class="data stacks"><caption class="unseen">Restream targets</caption>
<thead><tr><th scope="col">Target</th><th scope="col">Server</th><th scope="col">State</th></tr></thead>
<tbody>${found.map((one) => {
  const { state, reason } = getRestreamStatus(one)
  const mood = !one.enabled ? 'quiet' : state === 'live' ? 'good' : state === 'failed' ? 'bad' : 'quiet'
  return html`<tr><th scope="row" class="break">${one.name}</th><td data-label="Server" class="break">${one.url}</td>
<td data-label="State"><span class="${mood}">${one.enabled ? state : 'paused'}</span>${reason && html`: <span class="quiet">${roomRestreamMessage(reason)}</span>`}</td></tr>`
})}</tbody></table></section>`
