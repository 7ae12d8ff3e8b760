import { newId } from '#lib/ids.ts'
import * as channelMessages from '#sql/bots/channel-messages.ts'
import * as channels from '#sql/bots/channels.ts'
import type { Db } from '#sql/db.ts'
import type { Received } from '#sql/email/received.ts'
import type { NewMessage } from '#sql/whatsapp/messages.ts'
import { enqueueMany } from '../../../queue/enqueue.ts'
import { hearJob } from '../hear-job.ts'
import { getAuthor, getThread, isAuthenticated } from './identify-sender.ts'

/** Passes messages of an organisation’s number to its channel, in the transaction that stores the messages. */
export async function listenToWhatsapp(
  tx: Db,
  numberId: string | null,
  received: readonly Pick<NewMessage, 'id' | 'phone' | 'created_at'>[],
): Promise<void> {
  if (numberId === null || received.length === 0) return
  const channel = await channels.findActive(tx, { numberId })
  if (!channel) return
  await pass(
    tx,
    received.map(({ id, phone, created_at: sent_at }) => ({
      ...{ id: newId(), org_id: channel.org_id, channel_id: channel.id },
      ...{ contact: phone, contact_verified: true, status: 'waiting' as const, reason: null },
      ...{ transport_id: id, thread: null, sent_at },
    })),
  )
}

/**
 * Passes an email to the channel of its route, in the transaction that ends its reading. Automatic email (RFC 3834) and
 * email from addresses of bots is stored, but never answered.
 */
export async function listenToEmail(tx: Db, mail: Received): Promise<void> {
  const author = getAuthor(mail)
  const channel = author === null ? null : await channels.findActive(tx, { routeId: mail.route_id })
  if (author === null || !channel) return
  const reason = await getAutomaticReason(tx, author, mail)
  await pass(tx, [
    {
      ...{ id: newId(), org_id: channel.org_id, channel_id: channel.id, contact: author },
      contact_verified: isAuthenticated(author, mail.authentication),
      ...{ status: reason === null ? ('waiting' as const) : ('automatic' as const), reason },
      ...{ transport_id: mail.id, thread: getThread(mail), sent_at: mail.created_at.toISOString() },
    },
  ])
}

async function getAutomaticReason(
  tx: Db,
  author: string,
  { auto_submitted, no_auto_reply, sender, recipient }: Received,
): Promise<string | null> {
  if (auto_submitted) return 'automatic_email'
  if (no_auto_reply) return 'bulk_email'
  if (sender === '') return 'bounce'
  const isOwn = author === recipient.toLowerCase() || (await channels.isSender(tx, author))
  return isOwn ? 'address_of_a_bot' : null
}

async function pass(tx: Db, heard: readonly channelMessages.Heard[]): Promise<void> {
  const added = await channelMessages.insertHeard(tx, heard)
  const waiting = heard.filter(({ id, status }) => added.has(id) && status === 'waiting')
  const contacts = [...new Map(waiting.map((one) => [one.contact, one])).values()]
  await enqueueMany(
    tx,
    hearJob,
    contacts.map(({ channel_id: channelId, contact }) => ({ channelId, contact })),
    (i) => {
      const { org_id: orgId, channel_id, contact } = contacts[i] as channelMessages.Heard
      return { orgId, key: `bots/hear ${channel_id} ${contact}` }
    },
  )
}
