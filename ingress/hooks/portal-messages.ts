import * as attempts from './attempts.ts'
import * as messages from './messages.ts'
import { portalRoute } from './portal/delegate.ts'

export const list = portalRoute(messages.list, 'read')
export const read = portalRoute(messages.read, 'read')
export const listAttempts = portalRoute(attempts.listOfMessage, 'read')
