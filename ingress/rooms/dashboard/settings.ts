import { z } from 'zod'
import * as rooms from '#sql/rooms/rooms.ts'
import { selectField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'

export const settings = {
  chat: rooms.ChatRule.default('all'),
  waitingRoom: z.enum(['no', 'yes']).default('no'),
  layout: rooms.Layout.default('grid'),
}

export const settingsFields = (filled: Parameters<typeof selectField>[0]): Html =>
  html`${selectField(filled, { name: 'chat', label: 'Chat access', options: chats })}
${selectField(filled, { name: 'waitingRoom', label: 'Waiting room', options: doors })}
${selectField(filled, { name: 'layout', label: 'Broadcast layout', options: layouts })}`

const chats = [
  ['all', 'everyone'],
  ['publishers', 'hosts and participants'],
  ['off', 'no one'],
] as const

const doors = [
  ['no', 'no: anyone with a link can join'],
  ['yes', 'yes: a host admits each person'],
] as const

const layouts = [
  ['grid', 'grid'],
  ['speaker', 'large speaker'],
  ['screen', 'large shared screen'],
] as const
