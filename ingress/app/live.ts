import type { Context } from 'koa'
import { z } from 'zod'
import { forbidden, type Problem, unauthorized } from '#lib/errors.ts'
import * as sessions from '#sql/account/browser-sessions.ts'
import type { Role } from '#sql/account/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { createLiveHub, type LiveHub } from '../http/console/live-hub.ts'
import { type DashboardContents, dashboardContents, findOrgRegion } from '../http/dashboard/contents.ts'
import { shared } from '../http/dashboard/page.ts'
import { findMember } from '../http/dashboard/session.ts'
import { route } from '../http/route.ts'
import { stopping } from '../http/services.ts'

/** Tells a script of a problem, in words alone. */
export function plainProblem(ctx: Context, problem: Problem): void {
  ctx.type = 'text/plain'
  ctx.body = problem.message
}

const hubs = new WeakMap<DatabasePool, LiveHub>()

function hubOf(db: DatabasePool, contents: DashboardContents, stopping: AbortSignal): LiveHub {
  const hub = hubs.get(db) ?? createLiveHub({ find, listGood: (ids) => sessions.listGood(db, ids), stopping })
  hubs.set(db, hub)
  return hub

  function find(audience: string, name: string) {
    const [orgId = '', role] = audience.split(' ')
    const region = findOrgRegion(contents, name, role as Role)
    return region && { everyMs: region.everyMs, read: () => region.read(db, orgId) }
  }
}

/** `GET /app/regions`: what the named regions of a page become, as server-sent events: those of the session's organisation and role. */
export const stream = route({
  ...shared,
  method: 'GET',
  path: '/regions',
  summary: 'Watch regions of a page',
  query: z.object({ watch: z.array(z.string().max(200)).max(20) }),
  raw: 'text/event-stream',
  renderProblem: plainProblem,
  async handle({ ctx, db, query, services }) {
    // A page that is left open comes back by itself: that is no use of the session.
    const member = await findMember(ctx, db, { isUse: false })
    if (!member) throw unauthorized('Sign in to watch.')
    if (member.closing) throw forbidden('The organisation is closed.')
    const hub = hubOf(db, services(dashboardContents), services(stopping))
    const out = hub.join(member.sessionId, `${member.orgId} ${member.role}`, query.watch)
    ctx.res.once('close', () => out.destroy())
    // Proxies that collect answers would hold the events back.
    ctx.set('x-accel-buffering', 'no')
    ctx.body = out
  },
})
