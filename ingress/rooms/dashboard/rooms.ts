import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../rooms.ts'
import { settings, settingsFields } from './settings.ts'

export const section = {
  title: 'Rooms',
  path: '/app/rooms',
  group: 'Rooms',
  guide: 'rooms',
} as const satisfies DashboardSection

export const overview = page({
  path: '/rooms',
  summary: 'List rooms',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await rooms.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Rooms</h1>${may('areas:write') && html`<a class="button primary" href="/app/rooms/new">Create room</a>`}</div>
${shown.length === 0 ? emptyState('No rooms yet.', 'Create a room and join it: people see and hear each other in the browser.', may('areas:write') && linkButton('/app/rooms/new', 'Create room')) : roomTable(shown)}
${older(section.path)}`
    return { title: 'Rooms', main }
  },
})

const roomTable = (shown: readonly rooms.View[]): Html =>
  dataTable('Rooms', shown, {
    Room: (one) => html`<a href="${section.path}/${one.id}">${one.name}</a>`,
    State: (one) => stateOf(one),
    People: (one) => html`${one.present} of ${one.max_participants}`,
    Recording: (one) => (one.record ? 'yes' : 'no'),
    Created: (one) => ago(one.created_at),
  })

export function stateOf({ ended_at, present }: rooms.View): Html {
  const state = ended_at ? 'ended' : present > 0 ? 'active' : 'idle'
  return statusBadge(state)
}

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)

export const { show: askForRoom, submit: make } = formPage({
  path: '/rooms/new',
  summary: 'Create a room',
  section,
  permission: 'areas:write',
  fields: z.object({
    name: z.string(),
    maxParticipants: optionalField(wholeNumber),
    record: z.enum(['no', 'yes']),
    ...settings,
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Rooms', section.path)}<h1>Create a room</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true })}
${textField(filled, { name: 'maxParticipants', label: 'Maximum number of people', type: 'number', hint: 'Optional. Default: the maximum of your plan.' })}
${selectField(filled, { name: 'record', label: 'Record the room', options: recording })}
${settingsFields(filled)}
<button>Create room</button></form>`
    return { title: 'Create a room', main }
  },
  async submit({ ask, given: { record, waitingRoom, ...given } }) {
    const body = { ...given, record: record === 'yes', waitingRoom: waitingRoom === 'yes' }
    const { roomId } = await ask(create, { body }, z.object({ roomId: Id }))
    return {
      to: `${section.path}/${roomId}`,
      told: 'Room created. The room ends when it has been empty for five minutes.',
    }
  },
})

const recording = [
  ['no', 'no'],
  ['yes', 'yes: the recording becomes a video when the room ends'],
] as const
