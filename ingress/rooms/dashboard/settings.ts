import { z } from 'zod'
import * as rooms from '#sql/rooms/rooms.ts'
import { type Html, html } from '../../http/console/html.ts'
import { selectField } from '../../http/dashboard/form.ts'

/** The fields of a room's settings in a form. */
export const settings = {
  chat: rooms.ChatRule.default('all'),
  waitingRoom: z.enum(['no', 'yes']).default('no'),
  layout: rooms.Layout.default('grid'),
}

/** How the settings of rooms are asked for. */
export const settingsFields = (filled: Parameters<typeof selectField>[0]): Html =>
  html`${selectField(filled, { name: 'chat', label: 'Who may write', options: chats })}
${selectField(filled, { name: 'waitingRoom', label: 'Waiting room', options: doors })}
${selectField(filled, { name: 'layout', label: 'Picture on the air', options: layouts })}`

const chats = [
  ['all', 'everybody'],
  ['publishers', 'hosts and participants'],
  ['off', 'nobody'],
] as const

const doors = [
  ['no', 'no: whoever has a link comes in'],
  ['yes', 'yes: a host lets each in'],
] as const

const layouts = [
  ['grid', 'all alike'],
  ['speaker', 'who speaks, large'],
  ['screen', 'a shared screen, large'],
] as const
