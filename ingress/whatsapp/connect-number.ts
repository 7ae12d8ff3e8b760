import { randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { badRequest, Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as rows from '#sql/whatsapp/business-numbers.ts'
import { checkNumber } from '#tasks/whatsapp/check-number.ts'
import type { NumberCheck } from '#tasks/whatsapp/engine.ts'
import { emitNumber } from '#tasks/whatsapp/rules/emit-number.ts'
import { sealSecret } from '#tasks/whatsapp/rules/own-number.ts'
import { subscribeNumber } from '#tasks/whatsapp/subscribe-number.ts'
import type { Services } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'
import { questions, signingSecret } from '../http/services.ts'
import type { NumberForm } from './number-form.ts'
import { toSendProblem } from './refusals.ts'

/** Timeout in milliseconds for Meta's check of a number. A worker sends the request. */
const checkMs = 35_000

export const numberConnected = problem(
  409,
  'number_connected',
  'The organisation already has a number. Remove it first.',
)

export const numberTaken = problem(409, 'number_taken', 'The number is connected to another organisation.')

interface Means {
  db: DatabasePool
  services: Services
}

export function getSealer(services: Services, id: string) {
  const seal = createSeal(services(signingSecret), rows.sealPurpose)
  return (name: keyof rows.Secrets, secret: string): string => sealSecret(seal, id, name, secret)
}

export function sealSecrets(services: Services, id: string, given: rows.Secrets): rows.Secrets {
  const sealOne = getSealer(services, id)
  return {
    access_token: sealOne('access_token', given.access_token),
    app_secret: sealOne('app_secret', given.app_secret),
    verify_token: sealOne('verify_token', given.verify_token),
  }
}

/**
 * Checks a number with Meta and connects it. Throws 400 with the rejected field, and 409 if the number cannot be
 * connected.
 */
export async function connectNumber(
  { db, services }: Means,
  orgId: string,
  form: z.output<typeof NumberForm>,
): Promise<{ number: rows.Facts; verifyToken: string }> {
  const id = newId()
  const { phone_number_id, business_account_id: account_id, access_token, app_secret } = form
  const verify_token = form.verify_token ?? randomBytes(24).toString('base64url')
  const facts = { id, org_id: orgId, phone_number_id, account_id }
  await db.transaction((tx) => demandFree(tx, facts))
  await rows.insert(db, { ...facts, ...sealSecrets(services, id, { access_token, app_secret, verify_token }) })
  try {
    const about = await checkAtMeta({ db, services }, id, orgId)
    const number = await db.transaction(async (tx) => {
      await demandFree(tx, facts)
      const connected = await rows.connect(tx, id, about)
      if (connected) await emitNumber(tx, 'connected', connected)
      return connected
    })
    if (!number) throw numberConnected(numberConnected.when)
    return { number, verifyToken: verify_token }
  } catch (error) {
    await rows.discard(db, id)
    throw error
  }
}

async function demandFree(tx: Db, facts: Pick<rows.BusinessNumber, 'org_id' | 'phone_number_id'>): Promise<void> {
  const rivals = await rows.lockConflictingNumbers(tx, facts)
  if (rivals.some(({ org_id }) => org_id === facts.org_id)) throw numberConnected(numberConnected.when)
  if (rivals.length > 0) throw numberTaken(numberTaken.when)
}

/** Returns Meta's data about a number. Throws 400 with the rejected field. */
export async function checkAtMeta(
  { services }: Means,
  id: string,
  orgId: string,
): Promise<Exclude<NumberCheck, { fault: string }>> {
  const about = { orgId, subject: id, timeout: checkMs }
  const { answer, failure } = await services(questions).ask(checkNumber, { numberId: id }, about)
  if (failure) throw toSendProblem(failure)
  if (!answer) throw new Problem(502, 'upstream_error', 'WhatsApp did not respond. Try again.')
  if ('fault' in answer) throw badRequest([{ field: `body.${answer.fault}`, issue: answer.issue }])
  return answer
}

/** Subscribes to a number's webhooks at Meta. Returns false if Meta cannot reach the webhook URL. */
export async function subscribeWebhooks({ services }: Means, number: rows.Facts, url: string): Promise<boolean> {
  const about = { orgId: number.org_id, subject: number.id, timeout: checkMs }
  try {
    return (await services(questions).ask(subscribeNumber, { numberId: number.id, url }, about)).subscribed
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return false
  }
}
