import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { Int4 } from '#lib/input-types.ts'
import type { Actor } from '#sql/account/audit.ts'
import * as labels from '#sql/bots/conversation-labels.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as rows from '#sql/bots/handovers.ts'
import { Color } from '#sql/bots/labels.ts'
import * as messages from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { assignConversation } from '#tasks/bots/rules/assign-conversation.ts'
import { sendNotices, sendReply } from '#tasks/bots/rules/channels/send-reply.ts'
import { handOver } from '#tasks/bots/rules/hand-over.ts'
import { emit } from '#tasks/webhooks/rules/emit.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { text } from './fields.ts'
import { lockConversation, type NamedConversation, ofConversation } from './lock-conversation.ts'
import { Message, presentMessage, withDeliveries } from './message.ts'
import { requireChannel } from './require-channel.ts'

const repliedMeanwhile = problem(
  409,
  'replied_meanwhile',
  'Another person has replied after `after_seq`. `details` contains `seq` and `author` of the reply.',
)

const Flag = z.enum(['true', 'false']).transform((text) => text === 'true')

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
  assignee_id: Id.nullable().describe('Member who handles the conversation. `null` if nobody has it.'),
  assigned_at: Instant.nullable(),
  after_hours: z.boolean().describe('True if the handover started outside the office hours of the bot'),
  created_at: Instant,
  updated_at: Instant,
}

export const Handover = z.object(fields).meta({ id: 'bots.Handover' })

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
  .object({
    id: Id,
    ...fields,
    bot_name: z.string(),
    user_id: z.string().nullable(),
    ...contactFields,
    visitor_name: z.string().nullable().describe('Name that the visitor left'),
    visitor_email: z.string().nullable().describe('Email address that the visitor left for the reply'),
    assignee_name: z.string().nullable(),
    labels: z.array(z.object({ id: Id, name: z.string(), color: Color })),
  })
  .meta({ id: 'bots.WaitingConversation' })

export const list = listRoute({
  path: '/conversations',
  summary: 'List handed-over conversations, newest first',
  description: 'Returns the inbox: conversations of your organisation’s users with any bot.',
  scope: 'bots:read',
  filters: rows.filters,
  query: {
    bot_id: Id.optional().describe('Only conversations with this bot'),
    assignee_id: z
      .union([Id, z.literal('none')])
      .optional()
      .describe('Only conversations of this member. `none`: only conversations without an assignee.'),
    label_id: Id.optional().describe('Only conversations with this label'),
    waits: Flag.optional().describe('`true`: only conversations whose last message is not from your team'),
    after_hours: Flag.optional().describe('`true`: only conversations handed over outside office hours'),
  },
  otherParams: ['label_id'],
  item: Waiting,
  rows: ({ org, db, query: { label_id } }, page) => rows.list(db, org.id, page, label_id),
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
export async function startHandover(tx: Db, call: NamedConversation, note: string | null): Promise<rows.Handover> {
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
    after_seq: Int4.min(0)
      .optional()
      .describe(
        '`seq` of the last message that you have read. If another person has replied after it, the API returns `409 replied_meanwhile`.',
      ),
  }),
  status: 200,
  reply: Message,
  problems: ['not_found', 'conflict', repliedMeanwhile],
  example: { body: { message: 'I have looked it up: your bike is ready.', author: 'Mari' } },
  async handle({ body: { message, author, after_seq }, db, ...call }) {
    const conversation = await lockConversation(db, call)
    const { id, org_id, bot_id, closed_at, channel_id } = conversation
    if (closed_at) throw conflict('The conversation is closed.')
    const handover = await rows.find(db, org_id, id)
    if (!handover) throw conflict('The bot handles this conversation. Start a handover first.')
    await demandNoOtherReply(db, id, after_seq)
    if (channel_id !== null) await requireChannel(db, conversation, message)
    await takeUnassigned(db, handover, call.actor)
    const { last_seq: seq } = await conversations.reserveReply(db, id)
    const place = { id: newId(), org_id, bot_id, conversation_id: id, seq }
    const said = await messages.insertReply(db, { ...place, content: message, author })
    await rows.updateLastMessage(db, id, message, false)
    await emit(db, org_id, 'bots.conversation.replied', { message_id: place.id, bot_id, conversation_id: id })
    await sendReply(db, conversation, { id: place.id, content: message, author, seq })
    return presentMessage((await withDeliveries(db, [said]))[0] ?? said)
  },
})

/** Throws 409 if another person has replied since the caller read the conversation. */
async function demandNoOtherReply(tx: Db, conversationId: string, afterSeq: number | undefined): Promise<void> {
  const latest = afterSeq === undefined ? null : await messages.findLastReply(tx, conversationId)
  if (!latest || latest.seq <= (afterSeq ?? 0)) return
  throw repliedMeanwhile(`${latest.author} has replied meanwhile. Read the reply, then send yours again.`, {
    seq: latest.seq,
    author: latest.author,
  })
}

/** Assigns a conversation without an assignee to the member who replies. Replies with keys do not assign it. */
async function takeUnassigned(tx: Db, handover: rows.Handover, by: Actor): Promise<void> {
  if (by.kind !== 'user' || by.id === null || handover.assignee_id !== null) return
  await assignConversation(tx, { handover, to: by.id, by, reason: 'replied' })
}

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
      if (ended) await conversations.makeRateable(db, id)
      if (ended) await labels.setHandover(db, id, null)
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
