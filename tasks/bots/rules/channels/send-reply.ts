import { newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as channelMessages from '#sql/bots/channel-messages.ts'
import * as channels from '#sql/bots/channels.ts'
import type { Conversation } from '#sql/bots/conversations.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../../webhooks/rules/emit.ts'
import { replyByEmail } from './reply-by-email.ts'
import { replyByWhatsapp } from './reply-by-whatsapp.ts'
import type { ChannelReply, ReplyOutcome } from './reply-outcome.ts'

/**
 * Sends a message of a conversation by its channel, at most once. Does nothing for a conversation without a channel. If
 * the message cannot be sent, the reason is stored and a webhook is sent. The caller must hold the lock of the
 * conversation.
 */
export async function sendReply(tx: Db, conversation: Conversation, reply: ChannelReply): Promise<void> {
  const { id: conversation_id, org_id, bot_id, channel_id, contact, contact_verified } = conversation
  if (channel_id === null || contact === null) return
  const id = newId()
  const place = { id, org_id, channel_id, contact, contact_verified, message_id: reply.id }
  if (!(await channelMessages.insertReply(tx, place))) return
  const outcome = await submit(tx, conversation, contact, channel_id, reply)
  if ('sentId' in outcome) {
    return await channelMessages.recordReply(tx, id, { status: 'accepted', reason: null, transport_id: outcome.sentId })
  }
  const { refused: reason } = outcome
  await channelMessages.recordReply(tx, id, { status: 'refused', reason, transport_id: null })
  const about = { bot_id, conversation_id, message_id: reply.id, channel_id }
  await emit(tx, org_id, 'bots.channel.reply_refused', { ...about, reason })
}

/**
 * Sends the notices that were added to a conversation after a position, for example when a handover starts. The caller
 * must hold the lock of the conversation.
 */
export async function sendNotices(tx: Db, conversation: Conversation, afterSeq: number): Promise<void> {
  if (conversation.channel_id === null) return
  const unsent = await channelMessages.listUnsent(tx, conversation.id, afterSeq)
  for (const notice of unsent) await sendReply(tx, conversation, notice)
}

async function submit(
  tx: Db,
  conversation: Conversation,
  contact: string,
  channelId: string,
  reply: ChannelReply,
): Promise<ReplyOutcome> {
  const [channel] = await channels.findMany(tx, [channelId])
  if (!channel) return { refused: 'channel_deleted' }
  if (!channel.connected) return { refused: channel.kind === 'email' ? 'route_deleted' : 'number_removed' }
  if (reply.author === null && channel.paused_at) return { refused: 'channel_paused' }
  if (reply.author === null && !conversation.contact_verified) return { refused: 'contact_not_verified' }
  if (reply.content.trim() === '') return { refused: 'empty' }
  if (channel.kind === 'whatsapp') return await replyByWhatsapp(tx, channel, contact, reply)
  const thread = await channelMessages.findThread(tx, conversation.id, reply.seq)
  if (!thread) return { refused: 'email_deleted' }
  const bot = await bots.find(tx, channel.org_id, channel.bot_id)
  const from = reply.author ?? channel.from_name ?? bot?.name ?? 'Support'
  return await replyByEmail(tx, channel, contact, thread, { ...reply, from, conversationId: conversation.id })
}
