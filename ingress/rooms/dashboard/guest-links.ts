import { z } from 'zod'
import { conflict, notFound } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as links from '#sql/rooms/guest-links.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { signGuestLink } from '#tasks/rooms/rules/guest-link.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { selectField } from '../../http/html/form.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { section } from './rooms.ts'

const params = z.object({ room_id: pathId('room') })

const pathOf = (id: string): string => `${section.path}/${id}`

interface Signing {
  host: string
  secret: string
}

const urlOf = ({ room_id: room, id: link, expires_at }: links.GuestLink, { host, secret }: Signing): string => {
  const exp = Math.floor(expires_at.getTime() / 1_000)
  return `${getPublicBase(host)}/v1/stream/rooms/${room}/join?invite=${signGuestLink({ room, link, exp }, secret)}`
}

/** Renders the usable guest links of a room, and the button that creates another one. */
export async function guestLinks(db: DatabasePool, member: Member, roomId: string, signing: Signing): Promise<Html> {
  const found = await links.listUsable(db, roomId)
  return html`<section aria-labelledby="guests"><h2 id="guests">Guest links</h2>
<p class="lead">Anyone who has a guest link can join from a browser, without an account. Each guest enters a name.</p>
${found.length > 0 && linkTable(found, member, signing)}
${found.length < links.maxGuestLinks && html`<p class="actions spaced"><a class="button" href="${pathOf(roomId)}/guests/new">Create guest link</a></p>`}</section>`
}

const linkTable = (found: readonly links.GuestLink[], member: Member, signing: Signing): Html =>
  dataTable({ caption: 'Guest links', key: ({ id }) => id }, found, {
    Link: ['one-line', (one) => copyable(urlOf(one, signing), 'the guest link')],
    Role: (one) => one.role,
    Guests: ['number', (one) => (one.guests === 0 ? quiet('none yet') : one.guests)],
    Expires: (one) => html`${formatInstant(one.expires_at)} UTC`,
    Actions: [
      'actions',
      ({ room_id, id, role }) =>
        actionButton(member, `${pathOf(room_id)}/guests/${id}/revoke`, 'Revoke', { of: `the link for a ${role}` }),
    ],
  })

const roles = [
  ['participant', 'participant: camera, microphone and screen'],
  ['viewer', 'viewer: watches and listens'],
] as const

const validities = [
  ['1', '1 hour'],
  ['24', '1 day'],
  ['168', '7 days'],
  ['720', '30 days'],
] as const

export const { show: askForLink, submit: make } = formPage({
  path: '/rooms/{room_id}/guests/new',
  summary: 'Create a guest link for a room',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ role: links.GuestRole, hours: z.enum(validities.map(([hours]) => hours)) }),
  async view({ db, member, params: { room_id: id }, filled, fault }) {
    const { name, waiting_room } = await mustFind(rooms.find(db, member.orgId, id), 'room')
    const main = html`${parentLink(name, pathOf(id))}<h1>Create a guest link</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'role', label: 'Guests join as', options: roles })}
${selectField(filled, { name: 'hours', label: 'Valid for', options: validities, otherwise: '24' })}
<p class="hint">${waiting_room ? 'The waiting room is on: a host admits each guest.' : html`Guests join immediately. To admit each guest yourself, turn on the waiting room in the <a href="${pathOf(id)}/settings">settings</a>.`}</p>
<p class="actions"><button class="primary">Create guest link</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Create a guest link', main }
  },
  async submit({ db, member, params: { room_id }, given: { role, hours } }) {
    const { ended_at } = await mustFind(rooms.find(db, member.orgId, room_id), 'room')
    if (ended_at) throw conflict('The room has ended.')
    const expires_at = new Date(Date.now() + Number(hours) * 3_600_000)
    if (!(await links.insert(db, { id: newId(), room_id, role, expires_at })))
      throw conflict(`A room can have up to ${links.maxGuestLinks} guest links. Revoke one first.`)
    return { to: pathOf(room_id), told: 'Guest link created. Copy it and send it to your guests.' }
  },
})

export const revoke = action({
  path: '/rooms/{room_id}/guests/{link_id}/revoke',
  summary: 'Revoke a guest link',
  permission: 'areas:write',
  params: params.extend({ link_id: pathId('guest link') }),
  back: ({ room_id }) => pathOf(room_id),
  async perform({ db, member, params: { room_id: id, link_id } }) {
    await mustFind(rooms.find(db, member.orgId, id), 'room')
    if (!(await links.revoke(db, id, link_id))) throw notFound('guest link')
    return { to: pathOf(id), told: 'Guest link revoked. People who have joined stay until you remove them.' }
  },
})
