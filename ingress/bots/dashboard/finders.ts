import * as bots from '#sql/bots/bots.ts'
import * as handovers from '#sql/bots/handovers.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [
  findById('Bot', '/app/bots', bots.find, { permission: 'log:read', name: 'name' }),
  findById('Conversation', '/app/bots/inbox', handovers.find, { permission: 'areas:write' }),
]
