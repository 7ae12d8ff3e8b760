import { measureHidden } from '#lib/hidden-text.ts'
import { newId } from '#lib/ids.ts'
import { lockRoom } from '#sql/account/usage/budgets.ts'
import * as usage from '#sql/account/usage.ts'
import type { Db } from '#sql/db.ts'
import * as messages from '#sql/sms/messages.ts'
import * as optOuts from '#sql/sms/opt-outs.ts'
import * as providers from '#sql/sms/providers.ts'
import * as settings from '#sql/sms/settings.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { deliver } from '../deliver.ts'
import { checkRecipient, type Refusal } from './check-recipient.ts'
import { countSegments, maxSegments } from './segments.ts'

export interface MessageRequest {
  org_id: string
  /** API key that requested the message. If the key is revoked before delivery, the message fails. */
  key_id?: string | null | undefined
  /** Recipient in E.164. */
  phone: string
  text: string
  /** Number or name. Default: the sender of the connection. */
  sender?: string | null | undefined
  /** Default: the default connection of the organisation. */
  provider_id?: string | null | undefined
  client_reference?: string | null | undefined
  /** True if the text contains a secret. It is never shown, and it is deleted after delivery. */
  is_sensitive?: boolean
  /** Keyword that this message answers. A person receives the answer even after an opt-out. */
  keyword?: messages.Message['keyword']
}

export type AcceptedMessage = { message: messages.NewMessage } | { refused: Refusal } | { overBudget: true }

export const notConfigured: Refusal = {
  code: 'not_configured',
  message: 'No SMS provider is connected. Connect one with `POST /v1/sms/providers`.',
}

const unknownProvider: Refusal = { code: 'unknown_provider', message: 'No such SMS provider.' }

const noSender: Refusal = {
  code: 'no_sender',
  message: 'The connection has no sender. Set `from`, or the sender of the connection.',
}

export const optedOut: Refusal = {
  code: 'recipient_opted_out',
  message: 'The recipient does not accept messages of this sender.',
}

const tooLong: Refusal = {
  code: 'text_too_long',
  message: `The text needs more than ${maxSegments} segments. Shorten it.`,
}

/**
 * Accepts messages in the caller's transaction, with their jobs. Returns a result for each message in order: the queued
 * message, the reason of the rejection, or that the budget of the organisation is used up.
 */
export async function acceptMessages(tx: Db, wanted: readonly MessageRequest[]): Promise<AcceptedMessage[]> {
  if (wanted.length === 0) return []
  const orgIds = [...new Set(wanted.map(({ org_id }) => org_id))].sort()
  const connections = await providers.findByOrgs(tx, orgIds)
  const settingsOf = await settings.findMany(tx, orgIds)
  const room = new Map(await lockRoom(tx, 'sms.segments', orgIds))
  const drafts = wanted.map((one) => draft(one, connections.get(one.org_id) ?? []))
  const isOptedOut = await optOuts.findMany(
    tx,
    drafts.flatMap((one) => ('message' in one ? one.message : [])),
  )
  const accepted = drafts.map((one): AcceptedMessage => {
    if ('refused' in one) return one
    const { message } = one
    if (isOptedOut(message) && message.keyword === null) return { refused: optedOut }
    const refused = checkRecipient(message.phone, message.sender, settingsOf(message.org_id))
    if (refused) return { refused }
    const left = room.get(message.org_id)
    if (left !== undefined && left < message.segments) return { overBudget: true }
    if (left !== undefined) room.set(message.org_id, left - message.segments)
    return { message }
  })
  const made = accepted.flatMap((one) => ('message' in one ? one.message : []))
  await messages.insertMany(tx, made)
  await usage.add(
    tx,
    'sms.segments',
    made.map(({ org_id, segments }) => ({ org_id, amount: segments })),
  )
  await enqueueMany(
    tx,
    deliver,
    made.map(({ id }) => ({ messageId: id })),
    (index) => ({ orgId: made[index]?.org_id ?? '' }),
  )
  return accepted
}

function draft(
  one: MessageRequest,
  connections: readonly providers.Facts[],
): { message: messages.NewMessage } | { refused: Refusal } {
  const provider = one.provider_id ? connections.find(({ id }) => id === one.provider_id) : connections[0]
  if (!provider) return { refused: one.provider_id ? unknownProvider : notConfigured }
  const sender = one.sender ?? provider.sender
  if (sender === null && provider.settings.messaging_service_sid === undefined && provider.kind !== 'http')
    return { refused: noSender }
  const { encoding, segments } = countSegments(measureHidden(one.text))
  if (segments > maxSegments) return { refused: tooLong }
  return {
    message: {
      id: newId(),
      org_id: one.org_id,
      key_id: one.key_id ?? null,
      direction: 'outbound',
      provider_id: provider.id,
      phone: one.phone,
      sender,
      text: one.text,
      is_sensitive: one.is_sensitive ?? false,
      encoding,
      segments,
      keyword: one.keyword ?? null,
      client_reference: one.client_reference ?? null,
      status: 'queued',
      provider_message_id: null,
      created_at: new Date().toISOString(),
    },
  }
}
