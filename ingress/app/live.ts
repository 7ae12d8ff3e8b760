import { forbidden, unauthorized } from '#lib/errors.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import type { Role } from '#sql/account/people/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type DashboardContents, dashboardContents, findOrgRegion } from '../http/dashboard/contents.ts'
import { shared } from '../http/dashboard/page.ts'
import { findMember } from '../http/dashboard/session.ts'
import { createLiveHub, type LiveHub } from '../http/pages/live-hub.ts'
import { regionStream, sendStream } from '../http/pages/region-stream.ts'
import { route } from '../http/route.ts'
import { stopping } from '../http/services.ts'

const hubs = new WeakMap<DatabasePool, LiveHub>()

function hubOf(db: DatabasePool, contents: DashboardContents, stopping: AbortSignal): LiveHub {
  const hub = hubs.get(db) ?? createLiveHub({ find, listGood: (ids) => sessions.listActive(db, ids), stopping })
  hubs.set(db, hub)
  return hub

  function find(audience: string, name: string) {
    const [orgId = '', role] = audience.split(' ')
    const region = findOrgRegion(contents, name, role as Role)
    return region && { everyMs: region.everyMs, read: () => region.read(db, orgId) }
  }
}

export const stream = route({
  ...shared,
  ...regionStream,
  async handle({ ctx, db, query, services }) {
    // An open page reconnects automatically. A reconnection must not extend the session.
    const member = await findMember(ctx, db, { isUse: false })
    if (!member) throw unauthorized('Sign in to see live updates.')
    const contents = services(dashboardContents)
    const isShown = (name: string) => findOrgRegion(contents, name, member.role)?.whileClosed
    if (member.closing && !query.watch.every(isShown)) throw forbidden('The organisation is closed.')
    const hub = hubOf(db, contents, services(stopping))
    sendStream(ctx, hub.join(member.sessionId, `${member.orgId} ${member.role}`, query.watch))
  },
})
