import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import * as sessions from '#sql/account/browser-sessions.ts'
import * as ceremonies from '#sql/account/ceremonies.ts'
import * as passkeys from '#sql/account/passkeys.ts'
import type { Db } from '#sql/db.ts'
import { route } from '../http/route.ts'
import { actFrom } from './act.ts'
import { ceremonyOf, forgetCeremony } from './cookies.ts'
import { readMemberForm } from './form.ts'
import { go, shared } from './frame.ts'
import { sendOptions } from './passkey-sign-in.ts'
import { beginRegistration, ResponseField, registered } from './passkeys.ts'
import { demandStepUp, type Member } from './session.ts'

/**
 * Throws 403 unless a member may change their passkeys: the first one takes a session alone, each later one a confirmation. An
 * identity provider vouches for its own organisation, and so opens no way that leads into others.
 */
async function demandOwn(db: Db, member: Member): Promise<void> {
  if (member.method === 'oidc') throw forbidden('Sign in by mail to change your passkeys.')
  if ((await passkeys.list(db, member.userId)).length > 0) demandStepUp(member)
}

/** `POST /app/passkeys/register`. */
export const challenge = route({
  ...shared,
  method: 'POST',
  path: '/passkeys/register',
  summary: 'Begin to make a passkey',
  limit: { perMinute: 30, by: 'ip' },
  async handle(call) {
    const { member } = await readMemberForm(call, {})
    await demandOwn(call.db, member)
    sendOptions(call.ctx, await beginRegistration(call.db, call.origin, member))
  },
})

/** `POST /app/you/passkeys`. */
export const make = route({
  ...shared,
  method: 'POST',
  path: '/you/passkeys',
  summary: 'Make a passkey',
  limit: { perMinute: 30, by: 'ip' },
  async handle(call) {
    const { ctx, db, origin } = call
    const { member, form } = await readMemberForm(call, {
      response: ResponseField,
      name: z.string().trim().min(1).max(60),
    })
    await demandOwn(db, member)
    const secret = ceremonyOf(ctx, 'passkey')
    const ceremony = secret ? await ceremonies.take(db, 'register', secret) : null
    forgetCeremony(ctx, 'passkey')
    const own = ceremony?.session_id === member.sessionId ? ceremony : null
    const kept = await db.transaction(async (tx) => {
      if (!own?.challenge) return false
      const about = { challenge: own.challenge, userId: member.userId, name: form.name }
      if (!(await registered(tx, origin, about, form.response))) return false
      await audit.append(tx, { ...actFrom(call, member), action: 'passkey.created', after: { name: form.name } })
      return true
    })
    const told = kept ? `The passkey “${form.name}” is made.` : 'No passkey was made: the page was too old. Try again.'
    await sessions.tell(db, member.sessionId, told)
    go(ctx, '/app/you')
  },
})

/** `POST /app/you/passkeys/remove`. */
export const remove = route({
  ...shared,
  method: 'POST',
  path: '/you/passkeys/remove',
  summary: 'Remove a passkey',
  async handle(call) {
    const { ctx, db } = call
    const { member, form } = await readMemberForm(call, { id: Id })
    if (member.method === 'oidc') throw forbidden('Sign in by mail to change your passkeys.')
    demandStepUp(member)
    await db.transaction(async (tx) => {
      const name = await passkeys.remove(tx, member.userId, form.id)
      if (name === null) return
      await audit.append(tx, { ...actFrom(call, member), action: 'passkey.removed', before: { name } })
      await sessions.tell(
        tx,
        member.sessionId,
        `The passkey “${name}” is removed here; remove it from your device, too.`,
      )
    })
    go(ctx, '/app/you')
  },
})
