import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import { lockRoom } from '#sql/account/usage/budgets.ts'
import * as usage from '#sql/account/usage.ts'
import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as contacts from '#sql/whatsapp/contacts.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import * as recipients from '#sql/whatsapp/recipients.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { send } from '../send.ts'
import { listFiles } from './files-in.ts'
import { hasOptedOut } from './opted-out.ts'

/** Maximum wait for the next free slot for a recipient, in milliseconds. */
const mostAheadMs = 60_000

/** A `fallback` replaces a free-form message that cannot be sent. */
export type MessageRequest = messages.GivenMessage

export type AcceptedMessage =
  | { message: messages.NewMessage; window: ReturnType<typeof conversations.getReportedWindow> }
  | { closed: { last_inbound_at: Date | null } }
  | { tooFast: { retryAfter: number } }
  | { overBudget: true }
  | { optedOut: true }

/**
 * Accepts messages in the caller's transaction and assigns send times. Messages of an organisation to one recipient are
 * paced by the generic cell rate algorithm. If the window is closed, a free-form message becomes its fallback template
 * or is rejected.
 */
export async function acceptMessages(tx: Db, wanted: readonly MessageRequest[]): Promise<AcceptedMessage[]> {
  const accountOf = await contacts.findAccounts(
    tx,
    wanted.map(({ phone }) => phone),
  )
  const pairOf = ({ org_id, phone }: MessageRequest) => ({ org_id, wa_id: accountOf(phone) })
  const pairs = wanted.map(pairOf)
  const locked = await conversations.lock(tx, pairs)
  const orgIds = [...new Set(wanted.map(({ org_id }) => org_id))]
  const own = await numbers.findByOrgs(tx, orgIds)
  const asNumberKnows = (pair: conversations.Pair) => ({
    number_id: own.get(pair.org_id)?.id ?? null,
    wa_id: pair.wa_id,
  })
  const contactOf = await known.findMany(tx, pairs.map(asNumberKnows))
  const paced = new Map<string, conversations.Conversation>()
  const deniedAt = await recipients.findDenied(tx, wanted)
  const room = new Map(await lockRoom(tx, 'whatsapp.messages', orgIds))
  const accepted = wanted.map((one): AcceptedMessage => {
    const pair = pairOf(one)
    const name = conversations.pairKey(pair)
    const conversation = paced.get(name) ?? (locked.get(name) as conversations.Conversation)
    const person = asNumberKnows(pair)
    const contact = contactOf(person)
    const lastInboundAt = known.getLastInbound(person, contact, conversation.last_inbound_at)
    const isOpen = mayGoNow(one, contact)
    if (!isOpen && !one.fallback) return { closed: { last_inbound_at: lastInboundAt } }
    if (hasOptedOut(deniedAt(one), one.type === 'template' || !isOpen, lastInboundAt)) return { optedOut: true }
    const slot = sendSlotOf(conversation)
    if ('retryAfter' in slot) return { tooFast: slot }
    const left = room.get(one.org_id)
    if (left !== undefined && left < 1) return { overBudget: true }
    if (left !== undefined) room.set(one.org_id, left - 1)
    paced.set(name, { ...conversation, paced_until: slot.pacedUntil })
    const window = conversations.getReportedWindow(contact, lastInboundAt)
    const message = newMessage(one, { conversation, isOpen, sendAt: slot.sendAt })
    return { message: { ...message, number_id: person.number_id }, window }
  })
  await conversations.savePacing(tx, [...paced.values()])
  const made = accepted.flatMap((one) => ('message' in one ? one.message : []))
  await record(tx, made)
  await usage.add(
    tx,
    'whatsapp.messages',
    made.map(({ org_id }) => ({ org_id, amount: 1 })),
  )
  return accepted
}

const mayGoNow = ({ type }: MessageRequest, contact: contacts.Contact | undefined): boolean =>
  type === 'template' || (contacts.getWindow(contact)?.open ?? config.WHATSAPP_ASSUME_OPEN)

function newMessage(
  wanted: MessageRequest,
  { conversation, isOpen, sendAt }: { conversation: conversations.Conversation; isOpen: boolean; sendAt: Date },
): messages.NewMessage {
  const given = messages.fill(wanted)
  const instead = { type: 'template', content: given.fallback ?? {}, fallback: null, context_message_id: null }
  return {
    ...given,
    ...(!isOpen && instead),
    id: newId(),
    direction: 'outbound',
    wa_id: conversation.wa_id,
    status: 'queued',
    fell_back: !isOpen,
    send_at: sendAt.toISOString(),
    created_at: conversation.now.toISOString(),
  }
}

async function record(tx: Db, made: readonly messages.NewMessage[]): Promise<void> {
  await messages.insertMany(tx, made)
  await enqueueMany(
    tx,
    send,
    made.map(({ id, type, content, fallback }) => ({
      messageId: id,
      files: listFiles(content, '', type).length + listFiles(fallback).length > 0,
    })),
    (index) => {
      const { org_id, send_at, created_at } = made[index] as messages.NewMessage
      return { orgId: org_id, ...(send_at > created_at && { at: new Date(send_at) }) }
    },
  )
}

/** Meta’s limits for messages to one person. The interval is in milliseconds. */
const [burst, interval] = [10, 6_000]

/** Returns the next send time of a conversation: immediately within a burst, then at the interval. */
function sendSlotOf({
  now,
  paced_until,
}: conversations.Conversation): { sendAt: Date; pacedUntil: Date } | { retryAfter: number } {
  const due = Math.max(now.getTime(), paced_until.getTime())
  const sendAt = Math.max(now.getTime(), due - (burst - 1) * interval)
  const ahead = sendAt - now.getTime()
  if (ahead > mostAheadMs) return { retryAfter: Math.ceil((ahead - mostAheadMs) / 1_000) }
  return { sendAt: new Date(sendAt), pacedUntil: new Date(due + interval) }
}
