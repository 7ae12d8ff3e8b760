import type { Logger } from 'pino'
import { z } from 'zod'
import { config, requireVariable } from '#lib/config.ts'
import { Later } from '#lib/errors.ts'
import { changeHidden, revealText } from '#lib/hidden-text.ts'
import { Id } from '#lib/ids.ts'
import { isBehind } from '#sql/bots/channel-messages.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as contacts from '#sql/whatsapp/contacts.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import * as recipients from '#sql/whatsapp/recipients.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import { task } from '../queue/task.ts'
import { CloudApiError } from './engine.ts'
import type { WhatsappTools } from './pools.ts'
import {
  canFallBack,
  fileNotClean,
  numberRemoved,
  optedOut,
  outsideWindow,
  toMessageError,
  toOwnNumberError,
  toRejection,
} from './rules/error-table.ts'
import { replaceByUploads } from './rules/files-in.ts'
import { hasOptedOut } from './rules/opted-out.ts'
import { getNumberApi, NumberRemovedError } from './rules/own-number.ts'
import { recordStatuses } from './rules/record-statuses.ts'
import { FileNotCleanError, uploadFiles } from './rules/upload-files.ts'

/**
 * Maximum time in the queue before the request returns `queued`, in milliseconds. Such messages are retried after a
 * rate limit.
 */
export const answeredWithinMs = 5_000

/** Delay in milliseconds until a message is retried that must arrive after an earlier message of the same bot. */
const orderMs = 250

/** Maximum number of attempts for a message whose request has returned. */
const mostTries = 5

/**
 * Sends a message at most once. The Cloud API has no idempotency key. If it does not respond, the message stays
 * `unknown` until a webhook with its ID arrives.
 */
export const send = task({
  name: 'whatsapp/send',
  pool: 'whatsapp',
  payload: z.object({ messageId: Id, files: z.boolean().default(false).describe('True if it has files to upload') }),
  timeout: 120_000,
  async run({ messageId, files }, means) {
    const { db } = means
    const waiting = files ? await messages.findQueued(db, messageId) : null
    if (waiting && !(await prepareFiles(waiting, means))) return
    if (await isBehind(db, messageId)) throw new Later(orderMs, 'an earlier message to the person is being sent')
    const message = await messages.begin(db, messageId)
    if (message) return await sendBegun(message, means)
    const state = (await messages.findStatuses(db, [messageId])).get(messageId)
    if (state === 'sending') await tell(db, messageId, 'unknown', lostAnswer)
  },
  async giveUp({ messageId }, _, { db }) {
    await tell(db, messageId, 'failed', toMessageError(new CloudApiError('unmade', 'given up')))
  },
})

const lostAnswer = toMessageError(new CloudApiError('unknown', 'the worker stopped'))

type Means = WhatsappTools & { db: DatabasePool; signal: AbortSignal; log: Logger }

/** Uploads the files of a message. Returns false if the message failed because a file cannot be sent. */
async function prepareFiles(message: messages.Message, means: Means): Promise<boolean> {
  try {
    await uploadFiles(message, await getNumberApi(means, message.number_id), means)
    return true
  } catch (error) {
    const failure = preparationFailure(error, message)
    // The message and its files did not cause the failure, so the message is retried.
    if (!failure || failure.retryable) throw error
    await tell(means.db, message.id, 'failed', failure)
    return false
  }
}

function preparationFailure(error: unknown, message: messages.Message): messages.MessageError | undefined {
  if (error instanceof NumberRemovedError) return toRejection(numberRemoved)
  if (error instanceof FileNotCleanError) return toRejection(fileNotClean)
  return error instanceof CloudApiError ? failureFor(message, error) : undefined
}

const failureFor = ({ number_id }: messages.Message, error: CloudApiError) =>
  number_id === null ? toMessageError(error) : toOwnNumberError(error)

async function sendBegun(message: messages.Message, means: Means): Promise<void> {
  const { db, signal, log } = means
  if (!(await canSendNow(db, message))) return await fail(message, toRejection(outsideWindow), means)
  if (await isOptedOut(db, message)) return await fail(message, toRejection(optedOut), means)
  try {
    const api = await getNumberApi(means, message.number_id)
    const { wamid, waId } = await api.send(buildPayload(message), signal)
    await db.transaction(async (tx) => {
      if (waId !== message.phone.slice(1)) await contacts.saveAccount(tx, message.phone, waId)
      await statuses.saveProviderId(tx, message.id, { wamid, waId })
      await recordStatuses(tx, [{ id: message.id, status: 'accepted', at: new Date(), error: null, wamid }])
    })
  } catch (error) {
    if (error instanceof NumberRemovedError) return await fail(message, toRejection(numberRemoved), means)
    if (!(error instanceof CloudApiError)) throw error
    const failure = failureFor(message, error)
    const facts = { message: message.id, outcome: error.outcome, status: error.httpStatus, code: error.code }
    if (failure.status === 502) log.error(facts, 'the Cloud API failed')
    if (error.outcome === 'unknown') return await tell(db, message.id, 'unknown', failure)
    await fail(message, failure, means)
  }
}

/** The window may have closed while a paced message waited. */
async function canSendNow(db: DatabasePool, message: messages.Message): Promise<boolean> {
  if (message.type === 'template') return true
  const contactOf = await known.findMany(db, [message])
  return contacts.getWindow(contactOf(message))?.open ?? config.WHATSAPP_ASSUME_OPEN
}

/** The person may have opted out while the message waited. */
async function isOptedOut(db: DatabasePool, message: messages.Message): Promise<boolean> {
  const deniedAt = (await recipients.findDenied(db, [message]))(message)
  if (deniedAt === undefined) return false
  const contactOf = await known.findMany(db, [message])
  const inConversation = await conversations.lastInbound(db, message)
  const lastInboundAt = known.getLastInbound(message, contactOf(message), inConversation)
  return hasOptedOut(deniedAt, message.type === 'template', lastInboundAt)
}

async function fail(message: messages.Message, failure: messages.MessageError, means: Means): Promise<void> {
  const { db } = means
  if (failure.provider_code === 131047) await known.close(db, message, new Date())
  const waitedFor = message.send_at.getTime() - message.created_at.getTime() < answeredWithinMs
  if (failure.status === 429 && failure.retryable && !waitedFor && message.tries < mostTries) {
    await messages.requeue(db, message.id)
    throw new Later((failure.retry_after ?? 5) * 1_000)
  }
  const instead = message.fallback && canFallBack(failure) ? await messages.replaceByFallback(db, message.id) : null
  if (instead) return await sendBegun(instead, means)
  await tell(db, message.id, 'failed', failure)
}

async function tell(
  db: DatabasePool,
  id: string,
  status: 'failed' | 'unknown',
  error: messages.MessageError,
): Promise<void> {
  await db.transaction((tx) => recordStatuses(tx, [{ id, status, at: new Date(), error, wamid: null }]))
}

const buildPayload = ({ id, phone, wa_id, type, content, context_message_id, uploads }: messages.Message) => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: wa_id,
  type,
  [type]: changeHidden(replaceByUploads(content, uploads ?? {}), (text) =>
    revealText(text, phone, requireVariable('SIGNING_SECRET')),
  ),
  ...(context_message_id !== null && { context: { message_id: context_message_id } }),
  // Meta returns this ID with each status, even if the response to this request is lost.
  biz_opaque_callback_data: id,
})
