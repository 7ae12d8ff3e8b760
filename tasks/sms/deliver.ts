import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from 'pino'
import { z } from 'zod'
import { requireVariable } from '#lib/config.ts'
import { Later } from '#lib/errors.ts'
import { hasHidden, revealText } from '#lib/hidden-text.ts'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as messages from '#sql/sms/messages.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import * as providers from '#sql/sms/providers.ts'
import * as settings from '#sql/sms/settings.ts'
import * as statuses from '#sql/sms/statuses.ts'
import { task } from '../queue/task.ts'
import { hasLocalOrg, isLocalOrg } from '../webhooks/rules/endpoint-url.ts'
import { SmsError } from './engine.ts'
import type { SmsTools } from './pools.ts'
import { callbackUrl } from './rules/callback-url.ts'
import { addOptOut } from './rules/change-opt-outs.ts'
import { checkRecipient, type Refusal } from './rules/check-recipient.ts'
import { keyRevoked, organisationClosed, toMessageError, toRejection } from './rules/error-table.ts'
import { openConnection } from './rules/own-provider.ts'
import { recordStatuses } from './rules/record-statuses.ts'

/** Longest wait for a slot of the provider's rate inside one attempt, in milliseconds. */
const shortWaitMs = 500

/** Maximum number of requests for one message. Only requests that the provider did not accept are repeated. */
const maxTries = 8

/** Delay before a repeated request, in seconds, by the number of past requests. */
const delayOf = (tries: number): number => Math.min(2 ** tries, 120)

/**
 * Sends a message at most once. Providers have no idempotency key. If a provider does not respond, the message stays
 * `unknown` until a status with its ID arrives.
 */
export const deliver = task({
  name: 'sms/deliver',
  pool: 'sms',
  payload: z.object({ messageId: Id }),
  timeout: 60_000,
  async run({ messageId }, means) {
    const { db } = means
    const message = await messages.findAny(db, messageId)
    if (message?.status === 'sending') return await tell(db, messageId, 'unknown', lostAnswer)
    if (message?.status !== 'queued') return
    const refusal = await findRefusal(db, message)
    if (refusal) return await tell(db, messageId, 'failed', toRejection(refusal))
    const waitMs = await messages.takeSlot(db, messageId)
    if (waitMs === null) return
    if (waitMs > shortWaitMs) throw new Later(waitMs)
    if (waitMs > 0) await pause(waitMs, undefined, { signal: means.signal })
    const begun = await messages.begin(db, messageId)
    if (begun) await sendBegun(begun, means)
  },
  async giveUp({ messageId }, _, { db }) {
    await tell(db, messageId, 'failed', toMessageError(new SmsError('unmade', 'given up')))
  },
})

const lostAnswer = toMessageError(new SmsError('unknown', 'the worker stopped'))

/** Returns why a message is no longer allowed. Consent and permissions may have changed since it was accepted. */
async function findRefusal(db: DatabasePool, message: messages.Message): Promise<Refusal | undefined> {
  const { org_id, key_id, phone, sender, keyword } = message
  if (await closures.isClosing(db, org_id)) return organisationClosed
  if (key_id !== null && !(await keys.filterActive(db, [key_id])).has(key_id)) return keyRevoked
  if (keyword === null && (await optOuts.findMany(db, [message]))({ org_id, phone, sender })) return optedOut
  return checkRecipient(phone, sender, await settings.find(db, org_id))
}

const optedOut: Refusal = {
  code: 'recipient_opted_out',
  message: 'The recipient opted out before the message was sent.',
}

type Means = SmsTools & { db: DatabasePool; signal: AbortSignal; log: Logger }

async function sendBegun(message: messages.Message, { db, sms, seal, signal, log }: Means): Promise<void> {
  const { id, phone: to, sender: from, encoding } = message
  try {
    const provider = message.provider_id === null ? null : await providers.findAny(db, message.provider_id)
    if (!provider) throw new SmsError('not_configured', 'The connection does not exist.')
    const isLocal = provider.kind === 'http' && hasLocalOrg && (await isLocalOrg(db, provider.org_id))
    const connection = { ...openConnection(seal, provider), isLocal }
    const text = hasHidden(message) ? revealText(message.text, to, requireVariable('SIGNING_SECRET')) : message.text
    const outgoing = { id, to, from, text, encoding, callbackUrl: callbackUrl(provider.id, 'status', id) }
    const { providerMessageId } = await sms.send(connection, outgoing, signal)
    await db.transaction(async (tx) => {
      if (providerMessageId !== null) await statuses.saveProviderId(tx, id, providerMessageId)
      await recordStatuses(tx, [{ id, status: 'sent', at: new Date(), error: null }])
    })
  } catch (error) {
    if (!(error instanceof SmsError)) throw error
    const { outcome, httpStatus: status, code } = error
    log.info({ message: id, outcome, status, code }, 'an SMS provider did not accept a message')
    if (outcome === 'unknown') return await tell(db, id, 'unknown', toMessageError(error))
    await retryOrFail(message, error, db)
  }
}

async function retryOrFail(message: messages.Message, error: SmsError, db: DatabasePool): Promise<void> {
  const { id, provider_id, tries } = message
  const isTemporary = error.outcome === 'busy' || error.outcome === 'unmade'
  if (!isTemporary || tries >= maxTries) {
    await tell(db, id, 'failed', toMessageError(error))
    if (error.code === '21610') await recordProviderOptOut(message, db)
    return
  }
  const seconds = Math.max(error.retryAfter ?? 0, delayOf(tries))
  if (error.outcome === 'busy' && provider_id !== null) await providers.pause(db, provider_id, error.retryAfter ?? 1)
  await messages.requeue(db, id)
  throw new Later(seconds * 1_000)
}

/** Twilio keeps its own list of people who sent STOP (21610). */
async function recordProviderOptOut({ org_id, phone, sender }: messages.Message, db: DatabasePool): Promise<void> {
  await db.transaction((tx) =>
    addOptOut(tx, { org_id, phone, sender: sender ?? '', source: 'provider', keyword: null }),
  )
}

async function tell(
  db: DatabasePool,
  id: string,
  status: 'failed' | 'unknown',
  error: messages.MessageError,
): Promise<void> {
  await db.transaction((tx) => recordStatuses(tx, [{ id, status, at: new Date(), error }]))
}
