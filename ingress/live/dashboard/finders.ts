import * as channels from '#sql/live/channels.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Live channel', '/app/live', channels.find, { name: 'name' })]
