import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { queryInt } from '#lib/input-types.ts'
import * as bots from '#sql/bots/bots.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as rows from '#sql/bots/messages.ts'
import { decodeCursor, encodeCursor } from '../http/lists/cursor.ts'
import { writePage } from '../http/lists/write-page.ts'
import { mustFind } from '../http/must-find.ts'
import { route } from '../http/route.ts'
import { botParams, UserId } from './fields.ts'
import { Message, presentMessage, withDeliveries } from './message.ts'

const placeOf = ({ conversation_id, seq }: rows.Message): z.infer<typeof rows.Position> => [conversation_id, seq]

export const list = route({
  method: 'GET',
  path: '/{botId}/messages',
  summary: 'List messages with a bot',
  description:
    'Returns messages of your organisation’s conversations with any bot, sorted by conversation and then by `seq`. Default: newest first. The position of a message never changes.',
  scope: 'bots:read',
  params: botParams,
  query: z.object({
    conversation_id: Id.optional().describe('Default: all conversations'),
    user_id: UserId.optional().describe('Only conversations of this person'),
    order: z.enum(['asc', 'desc']).default('desc'),
    limit: queryInt(1, 100)
      .default(20)
      .describe('Maximum number of items per page. Pages with large items can have fewer.'),
    cursor: z
      .string()
      .max(200)
      .optional()
      .describe('`next_cursor` of the previous page, with the same filter and `order`'),
  }),
  status: 200,
  reply: z.object({ data: z.array(Message), next_cursor: z.string().nullable(), has_more: z.boolean() }),
  problems: ['not_found'],
  async handle(call) {
    const { botId } = call.params
    const { conversation_id, user_id, order, limit } = call.query
    const { org, db } = call
    const after = decodeCursor(rows.Position, call)
    await mustFind(bots.findKnown(db, org.id, botId), 'bot')
    const caller = { orgId: org.id, botId, userId: user_id }
    if (conversation_id !== undefined) {
      await mustFind(conversations.find(db, { ...caller, id: conversation_id }), 'conversation')
    }
    const wanted = { ...caller, conversationId: conversation_id, order }
    return await writePage<Awaited<ReturnType<typeof withDeliveries>>[number]>({
      operation: call.operation,
      limit,
      item: Message,
      read: async (last, count) =>
        await withDeliveries(db, await rows.list(db, { ...wanted, after: last ? placeOf(last) : after, limit: count })),
      present: presentMessage,
      cursorAfter: (row) => encodeCursor(call, placeOf(row)),
      more: (hasMore) => ({ has_more: hasMore }),
    })
  },
})
