import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as channels from '#sql/live/channels.ts'
import * as people from '#sql/live/chat-people.ts'
import { listRoute } from '../../http/lists/pagination.ts'
import { mustFind } from '../../http/must-find.ts'
import { removeRoute } from '../../http/remove-route.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { Ban, BanRequest, ban, presentBan } from './moderate.ts'

const params = z.object({ channelId: pathId('live channel') })
const path = '/live/channels/{channelId}/chat/bans'
const ofOne = { path: `${path}/{personId}`, params: params.extend({ personId: pathId('person') }) } as const

const BanWithUser = Ban.extend({
  userId: z.string(),
  bannedBy: z.string().nullable().describe('`organisation`, or `moderator:` with the ID of the person'),
}).meta({ id: 'live.ListedChatBan' })

const present = (one: people.ChatPerson): z.input<typeof BanWithUser> => ({
  ...presentBan(one),
  userId: one.identity,
  bannedBy: one.banned_by,
})

export const list = listRoute({
  path,
  summary: 'List bans of a chat',
  description: 'Returns the people who are banned from the chat now.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  problems: ['not_found'],
  item: BanWithUser,
  async rows({ params: { channelId }, org, db }, page) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await people.listBanned(db, channelId, page)
  },
  present,
})

export const put = route({
  ...ofOne,
  method: 'PUT',
  summary: 'Ban a person from a chat',
  description: 'Disconnects the person within a second. All chat tokens of the person stop working.',
  scope: 'stream:write',
  beyondContract: true,
  body: BanRequest,
  status: 200,
  reply: BanWithUser,
  problems: ['not_found'],
  example: { body: { seconds: 3600, reason: 'Advertising' } },
  async handle({ params: { channelId, personId }, body, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      return present(await mustFind(ban(tx, channelId, personId, { ...body, by: 'organisation' }), 'person'))
    })
  },
})

export const remove = removeRoute({
  ...ofOne,
  summary: 'Remove a ban from a chat',
  description: 'The person can read and write again with a valid token.',
  scope: 'stream:write',
  beyondContract: true,
  reply: { personId: Id },
  done: 'removed',
  what: 'ban',
  async remove({ params: { channelId, personId }, org, db }) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await people.unban(db, channelId, personId)
  },
})
