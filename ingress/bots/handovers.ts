import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as bots from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as rows from '#sql/bots/handovers.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { sendNotices, sendReply } from '#tasks/bots/rules/channels/send-reply.ts'
import { handOver } from '#tasks/bots/rules/hand-over.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { botParams, text } from './fields.ts'
import { Message, presentMessage, withDeliveries } from './message.ts'
import { requireChannel } from './require-channel.ts'

const fields = {
  conversation_id: Id,
  bot_id: Id,
  reason: z
    .enum(['asked', 'unanswered', 'requested', 'channel'])
    .describe(
      '`asked`: the person requested it. `unanswered`: the bot had no answer twice in a row. `requested`: your server started it. `channel`: the bot could not answer a message of a channel. `note` contains the reason.',
    ),
  note: z.string().nullable(),
  last_message: z.string(),
  waits: z.boolean().describe('True if the last message is not from your team'),
  created_at: Instant,
  updated_at: Instant,
}

const Handover = z.object(fields).meta({ id: 'bots.Handover' })

const contactFields = {
  channel_id: Id.nullable().describe(
    'Channel to which the contact writes. `null` for conversations by API and in web pages.',
  ),
  contact: z.string().nullable().describe('Phone number or email address of the contact of a channel'),
  contact_verified: z
    .boolean()
    .describe('False if the sender of the emails is not authenticated. Then check who wrote before you reply.'),
}

const Waiting = z
  .object({ id: Id, ...fields, bot_name: z.string(), user_id: z.string().nullable(), ...contactFields })
  .meta({ id: 'bots.WaitingConversation' })

const ofConversation = botParams.extend({ conversationId: pathId('conversation') })

interface Named {
  org: { id: string }
  /** Always `null` for a call from a visitor. Visitors cannot access conversations of users. */
  userId?: null
  params: { botId: string; conversationId: string }
}

/** Returns the locked conversation of a call. Throws 404 if it belongs to another organisation. */
async function lockConversation(
  tx: Db,
  { org, params: { botId, conversationId: id }, userId }: Named,
): Promise<conversations.Conversation> {
  await mustFind(bots.findKnown(tx, org.id, botId), 'bot')
  return await mustFind(conversations.lock(tx, { orgId: org.id, botId, id, userId }), 'conversation')
}

export const list = listRoute({
  path: '/conversations',
  summary: 'List handed-over conversations, newest first',
  description: 'Returns the inbox: conversations of your organisation’s users with any bot.',
  scope: 'bots:read',
  item: Waiting,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: (row) => row,
})

export const create = route({
  method: 'POST',
  path: '/{botId}/conversations/{conversationId}/handover',
  summary: 'Hand a conversation over to a person',
  description:
    'The bot does not answer in the conversation until you return it. Pending answers are still completed. Repeating the call changes nothing.',
  scope: 'bots:read',
  idempotent: true,
  params: ofConversation,
  body: z.strictObject({ note: text(1_000).nullable().optional().describe('Note for the person who handles it') }),
  status: 200,
  reply: Handover,
  problems: ['not_found', 'conflict'],
  handle: ({ body: { note = null }, db, ...call }) => startHandover(db, call, note),
})

/** Starts a handover that was requested. Throws 409 if the conversation is closed. */
export async function startHandover(tx: Db, call: Named, note: string | null): Promise<rows.Handover> {
  const conversation = await lockConversation(tx, call)
  const { id, org_id, bot_id, closed_at, last_seq } = conversation
  if (closed_at) throw conflict('The conversation is closed.')
  const last_message = await messages.lastQuestion(tx, id)
  const handed = { conversation_id: id, org_id, bot_id, reason: 'requested' as const, note, last_message }
  const handover = await handOver(tx, handed)
  await sendNotices(tx, conversation, last_seq)
  return handover ?? (await mustFind(rows.find(tx, org_id, id), 'conversation'))
}

export const reply = route({
  method: 'POST',
  path: '/{botId}/conversations/{conversationId}/reply',
  summary: 'Reply instead of the bot',
  description:
    'Adds your reply to the list of messages. If the contact writes by a channel, the reply is sent there, and `delivery` of the message has its status. Returns `409` if no handover has taken place, or if the channel was deleted.',
  scope: 'bots:write',
  idempotent: true,
  params: ofConversation,
  body: z.strictObject({
    message: text(8_000),
    author: text(100).default('Support').describe('Name shown with the message'),
  }),
  status: 200,
  reply: Message,
  problems: ['not_found', 'conflict'],
  example: { body: { message: 'I have looked it up: your bike is ready.', author: 'Mari' } },
  async handle({ body: { message, author }, db, ...call }) {
    const conversation = await lockConversation(db, call)
    const { id, org_id, bot_id, closed_at, channel_id } = conversation
    if (closed_at) throw conflict('The conversation is closed.')
    if (!(await rows.find(db, org_id, id))) throw conflict('The bot handles this conversation. Start a handover first.')
    if (channel_id !== null) await requireChannel(db, conversation, message)
    const { last_seq: seq } = await conversations.reserveReply(db, id)
    const place = { id: newId(), org_id, bot_id, conversation_id: id, seq }
    const said = await messages.insertReply(db, { ...place, content: message, author })
    await rows.updateLastMessage(db, id, message, false)
    await emit(db, org_id, 'bots.conversation.replied', { message_id: place.id, bot_id, conversation_id: id })
    await sendReply(db, conversation, { id: place.id, content: message, author, seq })
    return presentMessage((await withDeliveries(db, [said]))[0] ?? said)
  },
})

const Ended = z.object({ conversation_id: Id, closed: z.boolean() })

const endingRoute = <Path extends 'return' | 'close'>(path: Path, summary: string, description: string) =>
  route({
    method: 'POST',
    path: `/{botId}/conversations/{conversationId}/${path}`,
    summary,
    description,
    scope: 'bots:write',
    idempotent: true,
    params: ofConversation,
    body: z.strictObject({}),
    status: 200,
    reply: Ended,
    problems: ['not_found', 'conflict'],
    async handle({ db, ...call }) {
      const { id, org_id, bot_id, closed_at } = await lockConversation(db, call as never)
      const closed = path === 'close'
      if (closed_at && !closed) throw conflict('The conversation is closed.')
      if (closed) await conversations.close(db, id)
      const ended = await rows.remove(db, id)
      if (ended) await emit(db, org_id, 'bots.conversation.returned', { bot_id, conversation_id: id, closed })
      return { conversation_id: id, closed }
    },
  })

export const giveBack = endingRoute('return', 'Return a conversation to the bot', 'The bot answers the next message.')

export const close = endingRoute(
  'close',
  'Close a conversation',
  'Ends the conversation. Its messages can still be read.',
)
