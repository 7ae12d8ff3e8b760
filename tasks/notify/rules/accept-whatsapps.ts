import { config } from '#lib/config.ts'
import type { Db } from '#sql/db.ts'
import * as copies from '#sql/notify/copies.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { type AcceptedMessage, acceptMessages, type MessageRequest } from '../../whatsapp/rules/accept-messages.ts'
import { storeTestMessages } from '../../whatsapp/rules/test-messages.ts'
import type { SendableCopy } from './accept-mails.ts'
import { joinParagraphs } from './mail-text.ts'

/** Maximum number of characters of a free-form message (Cloud API), and of a template’s variable. */
const [maxText, maxVariable] = [4_096, 1_024]

/** A copy for WhatsApp, and the template for people who have not written within 24 hours. */
export type WhatsappCopy = SendableCopy & {
  template?: { name: string; language: string; variables: readonly string[] } | undefined
}

/** Submits copies to the WhatsApp area and records the result of each, in the caller’s transaction. */
export async function acceptWhatsapps(tx: Db, waiting: readonly copies.WaitingCopy[]): Promise<void> {
  await copies.endMany(tx, await submitWhatsapps(tx, waiting))
}

/**
 * Submits copies to the WhatsApp area. The copies are either all from events of live keys or all from events of test
 * keys. Returns the results in order.
 */
export async function submitWhatsapps(tx: Db, waiting: readonly WhatsappCopy[]): Promise<copies.EndedCopy[]> {
  if (waiting.length === 0) return []
  const wanted = waiting.map(requestOf)
  if (waiting.every(({ sandbox = false, key_id }) => sandbox && key_id !== null)) {
    const kept = await storeTestMessages(
      tx,
      wanted.map((message, i) => ({ message, keyId: waiting[i]?.key_id as string })),
    )
    return waiting.map((copy, i) => ended(copy, { message_id: kept[i]?.id as string }))
  }
  const from = await sendersOf(tx, wanted)
  const accepted = await acceptMessages(
    tx,
    wanted.filter((one) => from(one)),
  )
  const outcomes = accepted[Symbol.iterator]()
  return waiting.map((copy, i) =>
    ended(copy, from(wanted[i] as MessageRequest) ? outcomeOf(outcomes.next().value as AcceptedMessage) : unconfigured),
  )
}

/** Returns a function that is true if an organisation has a sender number: its own number, or the platform’s. */
async function sendersOf(tx: Db, wanted: readonly MessageRequest[]): Promise<(one: MessageRequest) => boolean> {
  if (config.WHATSAPP_PHONE_NUMBER_ID !== undefined) return () => true
  const own = await numbers.findByOrgs(
    tx,
    wanted.map(({ org_id }) => org_id),
  )
  return ({ org_id }) => own.has(org_id)
}

type Outcome = { message_id: string } | { reason: string; detail: string }

const ended = ({ event_id, channel }: WhatsappCopy, outcome: Outcome): copies.EndedCopy =>
  'reason' in outcome
    ? { event_id, channel, status: 'refused', ...outcome, message_id: null }
    : { event_id, channel, status: 'accepted', reason: null, detail: null, ...outcome }

const unconfigured = { reason: 'not_configured', detail: 'No WhatsApp business number is configured.' }

function outcomeOf(one: AcceptedMessage): Outcome {
  if ('message' in one) return { message_id: one.message.id }
  if ('closed' in one)
    return {
      reason: 'outside_window',
      detail: 'The person has not written within 24 hours, and the step has no template.',
    }
  if ('tooFast' in one) return { reason: 'rate_limited', detail: 'Too many messages are pending for this recipient.' }
  if ('optedOut' in one)
    return { reason: 'recipient_opted_out', detail: 'The person has opted out of WhatsApp messages.' }
  return { reason: 'budget_reached', detail: 'The organisation’s own budget has been reached.' }
}

function requestOf({ org_id, recipient, title, body, url, template, event_id }: WhatsappCopy): MessageRequest {
  return {
    org_id,
    phone: recipient,
    type: 'text',
    content: { body: [...joinParagraphs(title, body, url)].slice(0, maxText).join('') },
    fallback: template && {
      name: template.name,
      language: { code: template.language },
      ...(template.variables.length > 0 && {
        components: [{ type: 'body', parameters: template.variables.map(parameterOf) }],
      }),
    },
    client_reference: event_id,
  }
}

/**
 * Makes a string acceptable. Meta rejects line breaks, tabs, more than four spaces in a row (132000), and empty text.
 */
function parameterOf(text: string) {
  const words = text.split(/\s/u).filter((word) => word !== '')
  return { type: 'text', text: [...words.join(' ')].slice(0, maxVariable).join('') || '–' }
}
