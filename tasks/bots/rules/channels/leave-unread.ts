import { newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as channelMessages from '#sql/bots/channel-messages.ts'
import * as channels from '#sql/bots/channels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as handovers from '#sql/bots/handovers.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { handOver } from '../hand-over.ts'
import { reserveConversation } from './reserve-conversation.ts'
import { sendNotices } from './send-reply.ts'

const content = '[unreadable message]'
const note = 'The message could not be handled. Read the received message.'

/**
 * Leaves the oldest waiting message of a contact to a person without reading it, because each attempt to handle it
 * failed. Returns the message, or `null` if none waits. Throws if another job handles the contact.
 */
export async function leaveUnread(
  tx: Db,
  channelId: string,
  contact: string,
): Promise<channelMessages.ChannelMessage | null> {
  if (!(await channelMessages.tryLockContact(tx, channelId, contact)))
    throw new Error('another job handles the contact')
  const stuck = await channelMessages.lockWaiting(tx, channelId, contact)
  if (!stuck) return null
  const [channel] = await channels.findMany(tx, [channelId])
  const bot = channel && (await bots.find(tx, channel.org_id, channel.bot_id))
  if (!channel || !bot || channel.paused_at) {
    await channelMessages.settle(tx, stuck.id, { status: 'ignored', reason: 'failed' })
    return stuck
  }
  const { conversation } = await reserveConversation(tx, bot, channel, stuck)
  const { id: conversation_id, org_id, bot_id, last_seq } = conversation
  const place = { org_id, bot_id, conversation_id }
  await conversations.releaseAnswerSeq(tx, conversation_id)
  const metadata = { channel: channel.kind, channel_id: channelId, received_id: stuck.transport_id ?? '' }
  const questionId = newId()
  await messages.insertQuestion(tx, { ...place, id: questionId, seq: last_seq - 1, content, metadata })
  await channelMessages.settle(tx, stuck.id, { status: 'handled', message_id: questionId })
  const isNew = await handOver(tx, { ...place, reason: 'channel', last_message: content, note })
  if (!isNew) await handovers.updateLastMessage(tx, conversation_id, content, true)
  await sendNotices(tx, conversation, last_seq - 1)
  return stuck
}
