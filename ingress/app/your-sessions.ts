import { z } from 'zod'
import { forbidden, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/people/browser-sessions.ts'
import * as users from '#sql/account/people/users.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { redirectTo } from '../http/dashboard/admit.ts'
import { listSignInOrganisations } from '../http/dashboard/organisations.ts'
import { action, shared } from '../http/dashboard/page.ts'
import { endSession, findMember, switchOrganisation } from '../http/dashboard/session.ts'
import { checkToken } from '../http/html/csrf.ts'
import { route } from '../http/route.ts'
import { restrictedOrganisation } from './enter.ts'
import { readForm } from './form.ts'
import { you } from './you.ts'

const back = () => you.path

export const leave = route({
  ...shared,
  method: 'POST',
  path: '/sign-out',
  summary: 'Sign out of the dashboard',
  async handle({ ctx, db, origin, ip, requestId }) {
    const { token } = await readForm(ctx, origin, z.object({ token: z.string() }))
    const member = await findMember(ctx, db)
    if (member) {
      checkToken(member, token)
      await db.transaction(async (tx) => {
        await endSession(ctx, tx, member)
        await audit.append(tx, {
          orgId: member.orgId,
          actor: { kind: 'user', id: member.userId, name: member.email },
          action: 'session.ended',
          target: member.userId,
          requestId,
          network: getLoggedNetwork(ip),
        })
      })
    }
    redirectTo(ctx, '/app/sign-in')
  },
})

export const endOne = action({
  path: '/you/sessions/{id}/end',
  summary: 'End one of your sessions',
  whileClosed: true,
  params: z.object({ id: Id }),
  back,
  async perform({ db, member, doer, params }) {
    await db.transaction(async (tx) => {
      if (!(await sessions.end(tx, member.userId, params.id, restrictedOrganisation(member)))) return
      await audit.append(tx, { ...toAct(doer), action: 'session.ended', target: member.userId })
    })
    return { to: you.path, told: 'Browser signed out.' }
  },
})

export const endOthers = action({
  path: '/you/sessions/end-others',
  summary: 'End all your other sessions',
  whileClosed: true,
  back,
  async perform({ db, member, doer }) {
    const ended = await db.transaction(async (tx) => {
      const count = await sessions.endOthers(tx, member.userId, member.sessionId, restrictedOrganisation(member))
      if (count > 0) {
        await audit.append(tx, { ...toAct(doer), action: 'session.ended', target: member.userId, after: { count } })
      }
      return count
    })
    return { to: you.path, told: `Browsers signed out: ${ended}.` }
  },
})

export const changeOrganisation = action({
  path: '/you/organisations/{id}',
  summary: 'Switch to a different organisation',
  whileClosed: true,
  params: z.object({ id: Id }),
  back,
  async perform({ ctx, db, member, doer, params: { id: orgId } }) {
    if (member.method === 'oidc') {
      throw forbidden('Your identity provider is only for this organisation. Sign out first.')
    }
    await db.transaction(async (tx) => {
      if (!(await listSignInOrganisations(tx, member.userId)).some(({ org_id }) => org_id === orgId))
        throw notFound('organisation')
      await switchOrganisation(ctx, tx, member, orgId)
      const after = { method: member.method }
      await audit.append(tx, { ...toAct(doer), orgId, action: 'session.began', target: member.userId, after })
    })
    return { to: '/app' }
  },
})

export const rename = action({
  path: '/you/name',
  summary: 'Set your name',
  whileClosed: true,
  fields: z.object({ name: z.string().trim().min(1).max(100) }),
  back,
  async perform({ db, member, given }) {
    await users.rename(db, member.userId, given.name)
    return { to: you.path, told: 'Name saved.' }
  },
})
