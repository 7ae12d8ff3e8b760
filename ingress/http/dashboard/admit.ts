import type { Context } from 'koa'
import type { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import type { Actor } from '#sql/account/audit.ts'
import { dashboardCaller } from '#sql/account/keys/dashboard-key.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Doer } from '#tasks/account/rules/doer.ts'
import { canRole, getPageScopes, type Permission } from '#tasks/account/rules/roles.ts'
import type { Services } from '../container.ts'
import { type Html, html, queryString } from '../html/html.ts'
import { bareDocument, sendPage } from '../html/layout.ts'
import { organisationClosed, organisationMoving } from '../problem-kinds.ts'
import type { AskedInput } from '../request/validate.ts'
import type { Route } from '../route.ts'
import { answerersByRoute } from '../services.ts'
import { dashboardContents, dashboardFrame, findOrgRegion } from './contents.ts'
import { findMember, type Member } from './session.ts'

export interface AnyCall {
  db: DatabasePool
  ctx: Context
  ip: string
  origin: string
  requestId: string
  services: Services
}

export interface Gate {
  permission?: Permission
  /** True if the form needs a recent confirmation of the member’s identity. */
  stepUp?: true
  whileClosed?: true
}

const closed = 'The organisation is closed. An owner can reopen it under “Export and closure”.'

export async function requireMember(call: AnyCall, { permission, whileClosed }: Gate) {
  const { db, ctx, ip, origin, requestId, services } = call
  const member = await findMember(ctx, db)
  if (!member) {
    askToSignIn(ctx)
    return undefined
  }
  if (member.moving) throw organisationMoving()
  if (member.closing && !whileClosed) {
    if (ctx.method !== 'GET') throw organisationClosed(closed)
    redirectTo(ctx, '/app/leaving')
    return undefined
  }
  if (permission !== undefined && !canRole(member.role, permission)) {
    throw forbidden(`Your role in ${member.orgName} (${member.role}) does not have permission for this.`)
  }
  const actor = { kind: 'user', id: member.userId, name: member.email } as const satisfies Actor
  return {
    ...(call as unknown as { params: never; query: never }),
    db,
    ctx,
    services,
    member,
    may: (wanted: Permission) => canRole(member.role, wanted),
    doer: {
      orgId: member.orgId,
      actor,
      requestId,
      network: getLoggedNetwork(ip),
    } satisfies Doer,
    host: origin,
    ask: async <Reply extends z.ZodType>(wanted: Route, given: AskedInput, reply: Reply) => {
      const answerer = services(answerersByRoute).get(wanted)
      if (!answerer) throw new Error(`No area of this process has ${wanted.method} ${wanted.path}.`)
      const caller = await dashboardCaller(db, member.orgId, getPageScopes(member.role))
      if (caller.org.moving) throw organisationMoving()
      if (caller.org.closing) throw organisationClosed(closed)
      return reply.parse(await answerer.ask(given, caller, { ip, origin, requestId, actor }))
    },
    region: (name: string) => showOrgRegion(db, services, member, name),
  }
}

export type Allowed = NonNullable<Awaited<ReturnType<typeof requireMember>>>

async function showOrgRegion(db: DatabasePool, services: Services, member: Member, name: string): Promise<Html> {
  const found = findOrgRegion(services(dashboardContents), name, member.role)
  return html`<div class="region" data-live="${name}">${found && (await found.read(db, member.orgId))}</div>`
}

export function redirectTo(ctx: Context, to: string): void {
  ctx.redirect(to)
  ctx.status = 303
  ctx.set('cache-control', 'no-store')
}

function askToSignIn(ctx: Context): void {
  if (ctx.get('sec-fetch-site') === 'cross-site') {
    // A link from another site does not send a SameSite=Strict cookie, but a reload from our page does.
    const main = html`<p><a href="${ctx.url}">Continue to the dashboard</a></p>`
    sendPage(
      ctx,
      bareDocument(dashboardFrame, { title: 'Dashboard', main }, html`<meta http-equiv="refresh" content="0">`),
    )
    return
  }
  const to = ctx.method === 'GET' && ctx.url !== '/app' ? ctx.url : undefined
  redirectTo(ctx, `/app/sign-in${queryString({ to })}`)
}
