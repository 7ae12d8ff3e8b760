import * as attempts from './attempts.ts'
import * as messages from './messages.ts'
import { portalRoute } from './portal/delegate.ts'
import * as replays from './replays.ts'

export const list = portalRoute(messages.list, 'read')
export const read = portalRoute(messages.read, 'read')
export const listAttempts = portalRoute(attempts.ofMessage, 'read')
export const resend = portalRoute(replays.resend, 'manage')
