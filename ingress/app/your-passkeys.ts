import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as audit from '#sql/account/audit.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { Db } from '#sql/db.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { clearCeremony, getCeremony } from '../http/dashboard/cookies.ts'
import { action, shared } from '../http/dashboard/page.ts'
import { type Member, requireStepUp, stepUp } from '../http/dashboard/session.ts'
import { route } from '../http/route.ts'
import { readMemberForm } from './form.ts'
import { sendOptions } from './passkey-sign-in.ts'
import { beginRegistration, ResponseField, saveRegistration } from './passkeys.ts'
import { you } from './you.ts'

const back = () => you.path

/**
 * Throws 403 unless the member can create a passkey. The first passkey needs only a session. Later ones need a
 * confirmation. Sessions of an identity provider cannot create passkeys, because a passkey also gives access to other
 * organisations.
 */
async function demandOwn(db: Db, member: Member): Promise<void> {
  if (member.method === 'oidc') throw forbidden('Sign in by email to change your passkeys.')
  if ((await passkeys.list(db, member.userId)).length > 0) requireStepUp(member)
}

export const challenge = route({
  ...shared,
  method: 'POST',
  path: '/passkeys/register',
  summary: 'Start creating a passkey',
  limit: { perMinute: 30, by: 'ip' },
  async handle(call) {
    const { member } = await readMemberForm(call, {})
    await demandOwn(call.db, member)
    sendOptions(call.ctx, await beginRegistration(call.db, call.origin, member))
  },
})

export const make = action({
  path: '/you/passkeys',
  summary: 'Create a passkey',
  whileClosed: true,
  fields: z.object({ response: ResponseField, name: z.string().trim().min(1).max(60) }),
  back,
  async perform({ ctx, db, host, member, doer, given: { response, name } }) {
    const secret = getCeremony(ctx, 'passkey')
    const ceremony = secret ? await ceremonies.take(db, 'register', secret) : null
    clearCeremony(ctx, 'passkey')
    const challenge = ceremony?.session_id === member.sessionId ? ceremony.challenge : null
    const kept = await db.transaction(async (tx) => {
      await passkeys.lockUser(tx, member.userId)
      await demandOwn(tx, member)
      if (challenge === null) return false
      if (!(await saveRegistration(tx, host, { challenge, userId: member.userId, name }, response))) return false
      await audit.append(tx, { ...toAct(doer), action: 'passkey.created', target: member.userId, after: { name } })
      await stepUp(ctx, tx, member)
      return true
    })
    const told = kept
      ? `Passkey “${name}” created.`
      : 'The passkey was not created because the page has expired. Try again.'
    return { to: you.path, told }
  },
})

/** Confirms the identity of a member who adds another passkey. */
export const permit = action({
  path: '/you/passkeys/confirm',
  summary: 'Confirm your identity to create a passkey',
  whileClosed: true,
  stepUp: true,
  back,
  async perform() {
    return { to: you.path, told: 'Identity confirmed. You can create a passkey now.' }
  },
})

export const remove = action({
  path: '/you/passkeys/{id}/remove',
  summary: 'Remove a passkey',
  whileClosed: true,
  stepUp: true,
  params: z.object({ id: Id }),
  back,
  async perform({ db, member, doer, params }) {
    if (member.method === 'oidc') throw forbidden('Sign in by email to change your passkeys.')
    await db.transaction(async (tx) => {
      const name = await passkeys.remove(tx, member.userId, params.id)
      if (name === null) return
      await audit.append(tx, { ...toAct(doer), action: 'passkey.removed', target: member.userId, before: { name } })
    })
    return { to: you.path, told: 'Passkey removed. Remove it also from your device.' }
  },
})
