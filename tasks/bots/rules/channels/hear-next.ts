import { Problem } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as channelMessages from '#sql/bots/channel-messages.ts'
import * as channels from '#sql/bots/channels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as handovers from '#sql/bots/handovers.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { requireTokens } from '../../../ai/rules/token-budget.ts'
import { findKeyword } from '../../../sms/rules/keywords.ts'
import { denyConsent } from '../../../whatsapp/rules/deny-consent.ts'
import { findPerson, mostPending, queueAnswer } from '../ask-bot.ts'
import { handOver } from '../hand-over.ts'
import { readSaid } from './read-said.ts'
import type { Said } from './read-whatsapp.ts'
import { reserveConversation } from './reserve-conversation.ts'
import { sendNotices } from './send-reply.ts'

/** A contact’s messages per hour that are stored, as a multiple of those that the bot answers. */
const storedPerAnswered = 4

interface Heard {
  bot: bots.Bot
  channel: channels.Channel
  heard: channelMessages.ChannelMessage
  said: Said
  /** Number of messages of the contact within an hour. */
  recent: number
  /** Language of the contact. `null` if it is not clear. */
  language: string | null
}

/**
 * Handles the oldest waiting message of a contact, in the caller’s transaction. Returns `none` if none waits, and `busy`
 * if another job handles the contact. Channel, bot and plan are read again here, because they can have changed since the
 * message arrived.
 */
export async function hearNext(
  tx: Db,
  channelId: string,
  contact: string,
  language: string | null,
): Promise<'heard' | 'none' | 'busy'> {
  if (!(await channelMessages.tryLockContact(tx, channelId, contact))) return 'busy'
  const heard = await channelMessages.lockWaiting(tx, channelId, contact)
  if (!heard) return 'none'
  const [channel] = await channels.findMany(tx, [channelId])
  const bot = channel && (await bots.find(tx, channel.org_id, channel.bot_id))
  const ignore = async (reason: string, status: 'ignored' | 'limited' = 'ignored') => {
    await channelMessages.settle(tx, heard.id, { status, reason })
    return 'heard' as const
  }
  if (!channel || !bot) return await ignore('channel_deleted')
  if (channel.paused_at) return await ignore('channel_paused')
  const most = channel.hourly_limit * storedPerAnswered
  const recent = await channelMessages.countRecent(tx, heard, most)
  const read = await readSaid(tx, channel, heard)
  if (recent >= most) {
    if (read && isOptOut(channel, read(false))) await denyConsent(tx, channel.org_id, contact)
    return await ignore('hourly_limit', 'limited')
  }
  if (read === null) return await ignore('no_content')
  if (await channelMessages.isRepeated(tx, heard)) return await ignore('repeated_email')
  const reserved = await reserveConversation(tx, bot, channel, heard)
  await converse(tx, { bot, channel, heard, said: read(reserved.isNew), recent, language }, reserved.conversation)
  return 'heard'
}

const isOptOut = ({ kind }: channels.Channel, { content }: Said): boolean =>
  kind === 'whatsapp' && findKeyword(content) === 'stop'

/** Adds the message to the conversation, then the answer or the person who will reply. */
async function converse(tx: Db, given: Heard, conversation: conversations.Conversation): Promise<void> {
  const { channel, heard, said, language } = given
  const { id: conversation_id, org_id, bot_id, last_seq } = conversation
  const questionId = newId()
  const place = { org_id, bot_id, conversation_id }
  const metadata = { channel: channel.kind, channel_id: channel.id, received_id: heard.transport_id ?? '' }
  await messages.insertQuestion(tx, { ...place, id: questionId, seq: last_seq - 1, content: said.content, metadata })
  await channelMessages.settle(tx, heard.id, { status: 'handled', message_id: questionId })
  if (language !== null && conversation.language === null)
    await conversations.setLanguage(tx, conversation_id, language)
  await respond(tx, given, conversation)
  await sendNotices(tx, conversation, last_seq - 1)
}

/** Adds the pending answer, otherwise leaves the message to a person or adds a notice. */
async function respond(
  tx: Db,
  { bot, channel, heard, said, recent }: Heard,
  conversation: conversations.Conversation,
): Promise<void> {
  const { id: conversation_id, org_id, bot_id, last_seq } = conversation
  const place = { org_id, bot_id, conversation_id }
  if (isOptOut(channel, said)) {
    await conversations.releaseAnswerSeq(tx, conversation_id)
    return await denyConsent(tx, org_id, heard.contact)
  }
  const person = await findPerson(tx, heard.contact_verified ? bot : { handover: false }, place, said.content)
  if (person === 'handled') return
  if (person === 'asked') {
    // Outside office hours, the handover has added the notice of the next opening.
    const handover = await handovers.find(tx, org_id, conversation_id)
    if (channel.handover_reply === null || handover?.after_hours) return
    const { last_seq: seq } = await conversations.reserveReply(tx, conversation_id)
    return await addNotice(tx, conversation, seq, channel.handover_reply)
  }
  const note = await findObstacle(tx, { channel, heard, recent }, conversation)
  if (note !== undefined) {
    await conversations.releaseAnswerSeq(tx, conversation_id)
    await handOver(tx, { ...place, reason: 'channel', last_message: said.content, note })
  } else if (said.readable) await queueAnswer(tx, conversation)
  else await addNotice(tx, conversation, last_seq, channel.unreadable_reply)
}

/** Adds a text of the channel to the conversation. */
async function addNotice(
  tx: Db,
  conversation: conversations.Conversation,
  seq: number,
  content: string,
): Promise<void> {
  const { id: conversation_id, org_id, bot_id } = conversation
  await messages.insertReply(tx, { org_id, bot_id, conversation_id, id: newId(), seq, content, author: null })
}

/** Returns why only a person may reply, for the note of the handover. Undefined if the bot can answer. */
async function findObstacle(
  tx: Db,
  { channel, heard, recent }: Pick<Heard, 'channel' | 'heard' | 'recent'>,
  { id, org_id }: conversations.Conversation,
): Promise<string | undefined> {
  if (!heard.contact_verified) return 'The sender of the email is not authenticated (SPF, DKIM, DMARC).'
  if (recent >= channel.hourly_limit) return `The contact sent more than ${channel.hourly_limit} messages in an hour.`
  if ((await messages.countPending(tx, id)) >= mostPending) return `${mostPending} answers are pending.`
  try {
    await requireTokens(tx, org_id)
    return undefined
  } catch (error) {
    if (error instanceof Problem) return error.message
    throw error
  }
}
