import * as calls from '#sql/voice/calls.ts'
import { findById } from '../../http/dashboard/finders.ts'

export const finders = [findById('Call', '/app/calls', calls.find, { permission: 'log:read' })]
