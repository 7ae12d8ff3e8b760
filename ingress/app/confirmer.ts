import { Problem } from '#lib/errors.ts'
import { getLoggedNetwork } from '#lib/network/network.ts'
import * as audit from '#sql/account/audit.ts'
import * as ceremonies from '#sql/account/people/ceremonies.ts'
import * as passkeys from '#sql/account/people/passkeys.ts'
import type { Db } from '#sql/db.ts'
import type { ConfirmationState, Confirmer, ConfirmingCall, Proof } from '../http/dashboard/confirmation.ts'
import { clearCeremony, getCeremony, storeCeremony } from '../http/dashboard/cookies.ts'
import { stepUp } from '../http/dashboard/session.ts'
import { confirmationDialog } from './confirmation-dialog.ts'
import { ResponseField, saveRegistration, verifyAuthentication } from './passkeys.ts'
import { mayUseCode, requestCode } from './request-code.ts'

type Verdict = 'good' | 'wrong' | 'over'

export const confirmer: Confirmer = {
  async check(call, proof) {
    const { way, answer } = proof
    if (way === 'mail') return await sendCode(call)
    const method = way === 'code' ? 'mail' : 'passkey'
    const { db, ctx, member } = call
    const secret = getCeremony(ctx, method)
    const { verdict, session } = await db.transaction(async (tx) => {
      const verdict = secret === undefined ? 'over' : await checks[way](tx, call, secret, answer)
      await recordConfirmation(tx, call, { method, verdict })
      return { verdict, session: verdict === 'good' ? await stepUp(ctx, tx, member) : undefined }
    })
    if (method === 'passkey' || session) clearCeremony(ctx, method)
    return session ? { member: { ...member, ...session } } : toState(proof, verdict)
  },
  show: confirmationDialog,
}

function toState({ way }: Proof, verdict: Verdict): Pick<ConfirmationState, 'fault' | 'sent'> {
  if (way !== 'code') return { fault: 'The confirmation failed. Try again.' }
  return verdict === 'wrong'
    ? { sent: true, fault: 'The code is incorrect. Enter the six digits from the latest email.' }
    : { fault: 'The code has expired. Request another code.' }
}

async function sendCode(call: ConfirmingCall): Promise<Pick<ConfirmationState, 'fault' | 'sent'>> {
  const { db, ctx, member } = call
  if (!(await mayUseCode(db, member))) return { fault: 'Confirm your identity with your passkey or identity provider.' }
  const wanted = {
    kind: 'mail_step_up',
    email: member.email,
    userId: member.userId,
    sessionId: member.sessionId,
  } as const
  try {
    storeCeremony(ctx, 'mail', await db.transaction((tx) => requestCode(tx, call, wanted)))
    return { sent: true }
  } catch (error) {
    if (error instanceof Problem && error.status === 429) return { fault: error.message }
    throw error
  }
}

type Check = (tx: Db, call: ConfirmingCall, secret: string, answer: string) => Promise<Verdict>

const checks: Record<Exclude<Proof['way'], 'mail'>, Check> = {
  async passkey(tx, call, secret, answer) {
    const challenge = await takeChallenge(tx, 'step_up', call, secret)
    const response = ResponseField.safeParse(answer)
    if (challenge === null || !response.success) return 'over'
    const passkey = await verifyAuthentication(tx, call.origin, challenge, response.data)
    return passkey?.user_id === call.member.userId ? 'good' : 'wrong'
  },

  async 'new-passkey'(tx, call, secret, answer) {
    const { userId } = call.member
    await passkeys.lockUser(tx, userId)
    const challenge = await takeChallenge(tx, 'register', call, secret)
    const response = ResponseField.safeParse(answer)
    if (challenge === null || !response.success || !(await mayUseCode(tx, call.member))) return 'over'
    const name = `Passkey of ${new Date().toISOString().slice(0, 10)}`
    if (!(await saveRegistration(tx, call.origin, { challenge, userId, name }, response.data))) return 'wrong'
    await audit.append(tx, { ...toEntry(call), action: 'passkey.created', after: { name } })
    return 'good'
  },

  async code(tx, { member }, secret, answer) {
    const ceremony = await ceremonies.countTry(tx, 'mail_step_up', secret)
    if (ceremony?.session_id !== member.sessionId || !(await mayUseCode(tx, member))) return 'over'
    const code = answer.replace(/[\s-]/g, '')
    if (ceremony.code_hash === null || ceremonies.codeHash(ceremony.id, code) !== ceremony.code_hash)
      return ceremony.tries >= ceremonies.maxTries ? 'over' : 'wrong'
    return (await ceremonies.use(tx, ceremony.id)) ? 'good' : 'over'
  },
}

async function takeChallenge(
  tx: Db,
  kind: 'step_up' | 'register',
  { member }: ConfirmingCall,
  secret: string,
): Promise<string | null> {
  const ceremony = await ceremonies.take(tx, kind, secret)
  return ceremony?.session_id === member.sessionId ? ceremony.challenge : null
}

const toEntry = ({ member, requestId, ip }: ConfirmingCall) => ({
  orgId: member.orgId,
  actor: { kind: 'user' as const, id: member.userId, name: member.email },
  target: member.userId,
  requestId,
  network: getLoggedNetwork(ip),
})

async function recordConfirmation(
  tx: Db,
  call: ConfirmingCall,
  { method, verdict }: { method: 'mail' | 'passkey'; verdict: Verdict },
): Promise<void> {
  const good = verdict === 'good'
  await audit.append(tx, {
    ...toEntry(call),
    action: good ? 'session.confirmed' : 'session.refused',
    after: good ? { method } : { method, reason: 'not confirmed' },
  })
}
