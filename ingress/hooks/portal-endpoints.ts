import * as attempts from './attempts.ts'
import * as endpoints from './endpoints.ts'
import { portalRoute } from './portal/delegate.ts'
import * as replays from './replays.ts'

export const list = portalRoute(endpoints.list, 'read')
export const create = portalRoute(endpoints.create, 'manage')
export const read = portalRoute(endpoints.read, 'read')
export const update = portalRoute(endpoints.update, 'manage')
export const remove = portalRoute(endpoints.remove, 'manage')
export const readSecret = portalRoute(endpoints.readSecret, 'manage')
export const rotateSecret = portalRoute(endpoints.rotateSecret, 'manage')
export const stats = portalRoute(endpoints.stats, 'read')
export const listAttempts = portalRoute(attempts.ofEndpoint, 'read')
export const test = portalRoute(endpoints.test, 'manage')
export const recover = portalRoute(replays.recover, 'manage')
export const replayMissing = portalRoute(replays.missing, 'manage')
