import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as participants from '#sql/rooms/participants.ts'
import { roomRestreams } from '#sql/rooms/restreams.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import * as waiting from '#sql/rooms/waiting.ts'
import { maxRestreams } from '#tasks/live/rules/restream-target.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, duration, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { signingSecret } from '../../http/services.ts'
import { end, update } from '../rooms.ts'
import { issue } from '../tokens.ts'
import { guestLinks } from './guest-links.ts'
import { targetsSection, targetTable } from './restreams.ts'
import { section, stateOf } from './rooms.ts'
import { settings, settingsFields } from './settings.ts'

const params = z.object({ room_id: pathId('room') })

const pathOf = (id: string): string => `${section.path}/${id}`

export const read = page({
  path: '/rooms/{room_id}',
  summary: 'Show a room',
  section,
  params,
  async view({ db, member, may, region, host, services, params: { room_id: id } }) {
    const room = await mustFind(rooms.find(db, member.orgId, id), 'room')
    const open = room.ended_at === null && may('areas:write')
    const main = html`${parentLink('Rooms', section.path)}<div class="title"><h1>${room.name}</h1>${open && html`<p class="actions spaced"><a class="button primary" href="${pathOf(id)}/join" target="_blank">Join</a> <a class="button" href="${pathOf(id)}/settings">Settings</a> <a class="button" href="${pathOf(id)}/end">End room</a></p>`}</div>
${open && (await guestLinks(db, member, id, { host, secret: services(signingSecret) }))}
${await region(`room/${id}`)}
${open && (await targetsSection(db, id, (path, words, of) => actionButton(member, path, words, { of })))}`
    return { title: room.name, main }
  },
})

export const dashboardRoomRegion: OrgRegion = {
  everyMs: 2_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const room = id.success ? await rooms.find(db, orgId, id.data) : null
    if (!room) return null
    const present = room.ended_at ? [] : await participants.listPresent(db, room.id)
    const before = room.waiting_room && !room.ended_at ? await waiting.listPresent(db, room.id) : []
    const targets = room.ended_at
      ? []
      : await roomRestreams.list(db, room.id, { before: undefined, limit: maxRestreams })
    return html`<dl class="facts"><div><dt>State</dt><dd>${stateOf(room)}</dd></div>
<div><dt>People</dt><dd>${room.present} of ${room.max_participants}</dd></div>
<div><dt>Recording</dt><dd>${room.record ? 'yes' : 'no'}</dd></div>
${before.length > 0 && html`<div><dt>In the waiting room</dt><dd class="break">${before.map(({ display_name }) => display_name).join(', ')}</dd></div>`}
<div><dt>Created</dt><dd>${formatInstant(room.created_at)} UTC</dd></div>
${room.ended_at ? html`<div><dt>Ended</dt><dd>${ago(room.ended_at)}${room.end_reason === 'empty' && ', because it was empty'}</dd></div>` : html`<div><dt>Ends</dt><dd>when it has been empty for ${duration(room.empty_timeout_seconds)}</dd></div>`}
<div><dt>ID</dt><dd class="id">${room.id}</dd></div></dl>
${room.ended_at === null && html`<section><h2>Participants</h2>${present.length === 0 ? emptyState('No participants.') : peopleTable(present)}</section>`}
${targets.length > 0 && targetTable(targets)}`
  },
}

const peopleTable = (present: readonly participants.Participant[]): Html =>
  dataTable('People in the room', present, {
    Name: (one) => one.display_name,
    Role: (one) => one.role,
    State: (one) => one.state,
    Joined: (one) => ago(one.joined_at),
  })

export const join = page({
  path: '/rooms/{room_id}/join',
  summary: 'Join a room',
  section,
  permission: 'areas:write',
  params,
  async view({ member, ask, params: { room_id: roomId } }) {
    const body = { identity: member.userId, displayName: (member.name || member.email).slice(0, 100), role: 'host' }
    const { joinUrl } = await ask(issue, { params: { roomId }, body }, z.object({ joinUrl: z.url() }))
    return { to: joinUrl }
  },
})

export const { show: askForSettings, submit: set } = formPage({
  path: '/rooms/{room_id}/settings',
  summary: 'Update the settings of a room',
  section,
  permission: 'areas:write',
  params,
  fields: z.object(settings),
  async view({ db, member, params: { room_id: id }, filled, fault }) {
    const { name, chat, waiting_room, layout } = await mustFind(rooms.find(db, member.orgId, id), 'room')
    const now = { chat, waitingRoom: waiting_room ? 'yes' : 'no', layout }
    const main = html`${parentLink(name, pathOf(id))}<h1>Settings</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${settingsFields({ ...filled, given: { ...now, ...filled.given } })}
<button>Save</button></form>`
    return { title: `Settings for ${name}`, main }
  },
  async submit({ ask, given: { waitingRoom, ...given }, params: { room_id: roomId } }) {
    const body = { ...given, waitingRoom: waitingRoom === 'yes' }
    await ask(update, { params: { roomId }, body }, z.unknown())
    return { to: pathOf(roomId), told: 'Room settings saved.' }
  },
})

export const { show: askToEnd, submit: close } = formPage({
  path: '/rooms/{room_id}/end',
  summary: 'End a room',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { room_id: id }, fault }) {
    const { name } = await mustFind(rooms.find(db, member.orgId, id), 'room')
    const main = html`${parentLink(name, pathOf(id))}<h1>End ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>All participants are disconnected, and the links to this room stop working.</p>
<p class="actions"><button class="grave">End room</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: `End ${name}`, main }
  },
  async submit({ ask, params: { room_id: roomId } }) {
    await ask(end, { params: { roomId } }, z.unknown())
    return { to: pathOf(roomId), told: 'Room ended.' }
  },
})
