import * as messages from '#sql/whatsapp/messages.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [
  findById('WhatsApp message', '/app/whatsapp/messages', messages.find, { permission: 'log:read' }),
]
