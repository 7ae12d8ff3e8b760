import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as media from '#sql/whatsapp/media.ts'
import * as messages from '#sql/whatsapp/messages.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import * as receivers from '#sql/whatsapp/receivers.ts'
import { listenToWhatsapp } from '../../bots/rules/channels/listen.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { type EmittedEvent, emitMany } from '../../webhooks/rules/emit.ts'
import { fetchMedia } from '../fetch-media.ts'
import { getMediaId, getReply } from './inbound-content.ts'
import type { InboundMessage } from './webhook-form.ts'

/** Updates that are not messages of a person, so they do not open a window. */
const noMessages = new Set(['system', 'request_welcome'])

type Inbound = receivers.NewUnclaimed

/**
 * Stores received messages. They belong to the organisation whose message is quoted, otherwise to the organisation
 * whose message the person received last, otherwise to the organisation assigned to the number. If none is found, the
 * messages wait.
 */
export async function recordInbound(tx: Db, all: readonly InboundMessage[], phoneNumberId: string): Promise<void> {
  const heard = await openWindows(tx, all, null)
  if (heard.length === 0) return
  const inbound = heard.map((one) => inboundOf(one, phoneNumberId))
  const [owners, kept] = [
    await messages.findOwners(tx, inbound),
    // A repeated message may still wait for its organisation.
    await receivers.findUnclaimed(
      tx,
      inbound.map(({ provider_message_id }) => provider_message_id),
    ),
  ]
  const ownerOf = ({ provider_message_id: id }: Inbound) => (kept.has(id) ? undefined : owners.get(id))
  const isNobodys = (one: Inbound) => ownerOf(one) === undefined
  await give(
    tx,
    inbound.flatMap((one) => ({ ...one, org_id: ownerOf(one) ?? '' })).filter(({ org_id }) => org_id !== ''),
  )
  if (!inbound.some(isNobodys)) return
  await receivers.storeUnclaimed(tx, inbound.filter(isNobodys))
  await assignWaitingMessages(tx, phoneNumberId)
}

export async function recordOwnInbound(tx: Db, all: readonly InboundMessage[], number: numbers.Facts): Promise<void> {
  const heard = await openWindows(tx, all, number.id)
  const given = heard.map((one) => ({ ...inboundOf(one, number.phone_number_id), org_id: number.org_id }))
  if (given.length > 0) await give(tx, given, number.id)
}

async function openWindows(
  tx: Db,
  all: readonly InboundMessage[],
  numberId: string | null,
): Promise<readonly InboundMessage[]> {
  const heard = all.filter(({ type }) => !noMessages.has(type))
  const latest = new Map<string, Date>()
  for (const { from, timestamp } of heard) {
    if (timestamp > (latest.get(from) ?? 0)) latest.set(from, timestamp)
  }
  await known.hear(tx, numberId, latest)
  return heard
}

/**
 * Moves waiting messages of a number to its assigned organisation. Returns the number of moved messages, 0 if no
 * organisation is assigned.
 */
export async function assignWaitingMessages(tx: Db, phoneNumberId: string): Promise<number> {
  const orgId = await receivers.find(tx, phoneNumberId)
  if (orgId === null) return 0
  const taken = await receivers.takeUnclaimed(tx, phoneNumberId)
  return await give(
    tx,
    taken.map((one) => ({ ...one, org_id: orgId, sent_at: one.sent_at.toISOString() })),
  )
}

async function give(
  tx: Db,
  given: readonly (Inbound & { org_id: string })[],
  number_id: string | null = null,
): Promise<number> {
  const made = given.map((one): messages.NewMessage => {
    const { org_id, wa_id, type, content, context_message_id, provider_message_id, sent_at } = one
    return {
      id: newId(),
      org_id,
      direction: 'inbound',
      phone: `+${wa_id}`,
      wa_id,
      type,
      content,
      status: 'received',
      context_message_id,
      provider_message_id,
      send_at: sent_at,
      created_at: sent_at,
      number_id,
    }
  })
  // A fixed order prevents deadlocks between webhooks with the same messages.
  const byName = (a: messages.NewMessage, b: messages.NewMessage) =>
    (a.provider_message_id ?? '') < (b.provider_message_id ?? '') ? -1 : 1
  const added = new Set(await messages.insertMany(tx, made.toSorted(byName)))
  const taken = made.filter(({ id }) => added.has(id))
  await emitMany(tx, taken.map(received))
  await fetchFiles(tx, taken)
  await listenToWhatsapp(tx, number_id, taken)
  await conversations.hear(
    tx,
    given
      .filter((_, at) => added.has(made[at]?.id ?? ''))
      .map(({ org_id, wa_id, sent_at: at }) => ({ org_id, wa_id, at })),
  )
  return added.size
}

async function fetchFiles(tx: Db, taken: readonly messages.NewMessage[]): Promise<void> {
  const files = taken.flatMap(({ id, org_id, type, content }) => {
    const provider_media_id = getMediaId(type, content)
    return provider_media_id === undefined ? [] : [{ message_id: id, provider_media_id, org_id }]
  })
  await media.insertMany(
    tx,
    files.map(({ message_id, provider_media_id }) => ({ message_id, provider_media_id })),
  )
  await enqueueMany(
    tx,
    fetchMedia,
    files.map(({ message_id }) => ({ messageId: message_id })),
    (index) => ({ orgId: files[index]?.org_id ?? '' }),
  )
}

const received = (message: messages.NewMessage): EmittedEvent => ({
  orgId: message.org_id,
  type: 'whatsapp.message.received',
  data: {
    id: message.id,
    from: message.phone,
    type: message.type,
    content: message.content,
    in_reply_to: message.context_message_id ?? null,
    reply: getReply(message.type, message.content),
    has_media: getMediaId(message.type, message.content) !== undefined,
    sent_at: new Date(message.created_at).toISOString(),
  },
})

function inboundOf(one: InboundMessage, phoneNumberId: string): Inbound {
  const { id, from, type, timestamp, context } = one
  const content = one[type]
  return {
    provider_message_id: id,
    phone_number_id: phoneNumberId,
    wa_id: from,
    type,
    content: typeof content === 'object' && content !== null ? { ...content } : {},
    context_message_id: context?.id ?? null,
    sent_at: new Date(Math.min(timestamp.getTime(), Date.now())).toISOString(),
  }
}
