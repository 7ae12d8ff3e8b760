import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as channels from '#sql/live/channels.ts'
import * as messages from '#sql/live/chat-messages.ts'
import { Instant } from '../../http/instant.ts'
import { listRoute } from '../../http/lists/pagination.ts'
import { mustFind } from '../../http/must-find.ts'
import { removeRoute } from '../../http/remove-route.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { removeMessage } from './moderate.ts'
import { DisplayName, Message, MessageText, presentMessage } from './view.ts'
import { writeHostMessage } from './write.ts'

const params = z.object({ channelId: pathId('live channel') })
const path = '/live/channels/{channelId}/chat/messages'

export const list = listRoute({
  path,
  summary: 'List chat messages of a channel',
  description: 'Returns all messages, newest first, with the `userId` of their authors. Use it to export a chat.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  query: { personId: Id.optional(), broadcastId: Id.optional(), role: messages.Role.optional() },
  filters: messages.filters,
  problems: ['not_found'],
  item: Message.extend({
    userId: z.string().nullable().describe('Your ID for the author. `null` for messages of your organisation.'),
    broadcastId: Id.nullable().describe('Broadcast during which the message was written'),
    deletedAt: Instant.nullable().describe('Time at which the text was deleted'),
    deletedBy: z.string().nullable().describe('`organisation`, `author`, or `moderator:` with the ID of the person'),
  }).meta({ id: 'live.ListedChatMessage' }),
  async rows({ params: { channelId }, org, db }, page) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await messages.list(db, org.id, channelId, page)
  },
  present: (one) => ({
    ...presentMessage(one),
    userId: one.identity,
    broadcastId: one.broadcast_id,
    deletedAt: one.deleted_at,
    deletedBy: one.deleted_by,
  }),
})

export const create = route({
  method: 'POST',
  path,
  summary: 'Write a chat message as your organisation',
  description: 'Writes a message with the role `host`, even while the chat is closed.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({ name: DisplayName, text: MessageText }),
  status: 201,
  reply: Message,
  problems: ['not_found'],
  example: { body: { name: 'Team', text: 'We start in five minutes.' } },
  async handle({ params: { channelId }, body: { name, text }, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      return presentMessage(await writeHostMessage(tx, { org_id: org.id, channel_id: channelId, name, text }))
    })
  },
})

export const remove = removeRoute({
  path: `${path}/{messageId}`,
  summary: 'Delete a chat message',
  description: 'Deletes the text of the message. Connected viewers no longer see the message.',
  scope: 'stream:write',
  beyondContract: true,
  params: params.extend({ messageId: pathId('chat message') }),
  reply: { messageId: Id },
  what: 'chat message',
  async remove({ params: { channelId, messageId }, org, db }) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await removeMessage(db, channelId, messageId, { by: 'organisation' })
  },
})
