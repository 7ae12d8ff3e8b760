import type { Db } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import { type AcceptedMessage, acceptMessages, type MessageRequest } from '../../sms/rules/accept-messages.ts'
import { storeTestMessages } from '../../sms/rules/test-messages.ts'
import type { SendableCopy } from './accept-mails.ts'
import { joinParagraphs } from './mail-text.ts'

/** Maximum number of characters of a notification by SMS: 4 segments of the GSM alphabet, or 8 of another. */
export const maxSmsText = 480

/** A copy for SMS, and the short text that replaces its title and body. */
export type SmsCopy = SendableCopy & { sms?: string | null | undefined }

/** Submits copies to the SMS area and records the result of each, in the caller's transaction. */
export async function acceptSms(tx: Db, waiting: readonly copies.WaitingCopy[]): Promise<void> {
  await copies.endMany(tx, await submitSms(tx, waiting))
}

/**
 * Submits copies to the SMS area. The copies are either all from events of live keys or all from events of test keys.
 * Returns the results in order.
 */
export async function submitSms(tx: Db, waiting: readonly SmsCopy[]): Promise<copies.EndedCopy[]> {
  if (waiting.length === 0) return []
  const wanted = waiting.map(requestOf)
  if (waiting.every(({ sandbox = false, key_id }) => sandbox && key_id !== null)) {
    const kept = await storeTestMessages(
      tx,
      wanted.map((message, i) => ({ message, keyId: waiting[i]?.key_id as string })),
    )
    return waiting.map((copy, i) => ended(copy, { message_id: kept[i]?.id as string }))
  }
  const accepted = await acceptMessages(tx, wanted)
  return waiting.map((copy, i) => ended(copy, outcomeOf(accepted[i] as AcceptedMessage)))
}

type Outcome = { message_id: string } | { reason: string; detail: string }

const ended = ({ event_id, channel }: SmsCopy, outcome: Outcome): copies.EndedCopy =>
  'reason' in outcome
    ? { event_id, channel, status: 'refused', ...outcome, message_id: null }
    : { event_id, channel, status: 'accepted', reason: null, detail: null, ...outcome }

function outcomeOf(one: AcceptedMessage): Outcome {
  if ('message' in one) return { message_id: one.message.id }
  if ('refused' in one) return { reason: one.refused.code, detail: one.refused.message }
  return { reason: 'budget_reached', detail: 'The organisation’s own budget has been reached.' }
}

/** A URL at the end stays complete. The text before it is cut. */
function textOf({ sms, title, body, url }: SmsCopy): string {
  const end = url === null || sms ? '' : `\n${url}`
  const room = maxSmsText - [...end].length
  const text = sms ?? joinParagraphs(title, body)
  const characters = [...text]
  if (room < 20) return characters.slice(0, maxSmsText).join('')
  return (characters.length <= room ? text : `${characters.slice(0, room - 3).join('')}...`) + end
}

const requestOf = (copy: SmsCopy): MessageRequest => ({
  org_id: copy.org_id,
  key_id: copy.key_id,
  phone: copy.recipient,
  text: textOf(copy),
  client_reference: copy.event_id,
})
