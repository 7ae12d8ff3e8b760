import * as apps from '#sql/push/apps.ts'
import * as messages from '#sql/push/messages.ts'
import { findById } from '../../http/dashboard/finders.ts'

const permission = 'log:read'

export const finders = [
  findById('Push message', '/app/push/messages', messages.find, { permission }),
  findById('Push app', '/app/push', apps.find, { permission, name: 'name' }),
]
