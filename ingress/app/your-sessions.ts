import { z } from 'zod'
import { forbidden, notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/browser-sessions.ts'
import * as users from '#sql/account/users.ts'
import { checkToken } from '../http/console/session.ts'
import { route } from '../http/route.ts'
import { actFrom } from './act.ts'
import { placesOf } from './enter.ts'
import { readForm, readMemberForm } from './form.ts'
import { go, shared } from './frame.ts'
import { change, end, findMember } from './session.ts'

/** `POST /app/sign-out`. */
export const leave = route({
  ...shared,
  method: 'POST',
  path: '/sign-out',
  summary: 'Sign out of the dashboard',
  async handle(call) {
    const { ctx, db, origin } = call
    const { token } = await readForm(ctx, origin, z.object({ token: z.string() }))
    const member = await findMember(ctx, db)
    if (member) {
      checkToken(member, token)
      await db.transaction(async (tx) => {
        await end(ctx, tx, member)
        await audit.append(tx, { ...actFrom(call, member), action: 'session.ended', target: member.userId })
      })
    }
    go(ctx, '/app/sign-in')
  },
})

/** `POST /app/you/sessions/end`. */
export const endOne = route({
  ...shared,
  method: 'POST',
  path: '/you/sessions/end',
  summary: 'End one of your sessions',
  async handle(call) {
    const { ctx, db } = call
    const { member, form } = await readMemberForm(call, { id: Id })
    await db.transaction(async (tx) => {
      if (!(await sessions.end(tx, member.userId, form.id))) return
      await sessions.tell(tx, member.sessionId, 'That browser is signed out.')
      await audit.append(tx, { ...actFrom(call, member), action: 'session.ended', target: member.userId })
    })
    go(ctx, '/app/you')
  },
})

/** `POST /app/you/sessions/end-others`. */
export const endOthers = route({
  ...shared,
  method: 'POST',
  path: '/you/sessions/end-others',
  summary: 'End all your other sessions',
  async handle(call) {
    const { ctx, db } = call
    const { member } = await readMemberForm(call, {})
    await db.transaction(async (tx) => {
      const ended = await sessions.endOthers(tx, member.userId, member.sessionId)
      await sessions.tell(tx, member.sessionId, `${ended} other browsers are signed out.`)
      await audit.append(tx, {
        ...actFrom(call, member),
        action: 'session.ended',
        target: member.userId,
        after: { ended },
      })
    })
    go(ctx, '/app/you')
  },
})

/** `POST /app/you/organisation`: goes on for another organisation, with another cookie. */
export const changeOrganisation = route({
  ...shared,
  method: 'POST',
  path: '/you/organisation',
  summary: 'Go on for another of your organisations',
  async handle(call) {
    const { ctx, db } = call
    const { member, form } = await readMemberForm(call, { id: Id })
    if (member.method === 'oidc')
      throw forbidden('Your identity provider vouches for this organisation alone: sign out first.')
    await db.transaction(async (tx) => {
      if (!(await placesOf(tx, member.userId)).some(({ org_id }) => org_id === form.id)) throw notFound('organisation')
      await change(ctx, tx, member, form.id)
      await audit.append(tx, {
        ...actFrom(call, { ...member, orgId: form.id }),
        action: 'session.began',
        target: member.userId,
        after: { method: member.method },
      })
    })
    go(ctx, '/app')
  },
})

/** `POST /app/you/name`. */
export const rename = route({
  ...shared,
  method: 'POST',
  path: '/you/name',
  summary: 'Set your name',
  async handle(call) {
    const { ctx, db } = call
    const { member, form } = await readMemberForm(call, { name: z.string().trim().min(1).max(100) })
    await users.rename(db, member.userId, form.name)
    await sessions.tell(db, member.sessionId, 'Your name is kept.')
    go(ctx, '/app/you')
  },
})
