import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as messages from '#sql/live/chat-messages.ts'
import * as people from '#sql/live/chat-people.ts'
import type { ChatAccess } from '#sql/live/chat-tokens.ts'
import { formatEvent, openEventStream } from '../../http/event-stream.ts'
import { route } from '../../http/route.ts'
import { stopping } from '../../http/services.ts'
import { chatBanned, chatClosed, chatForbidden, chatTokenInvalid, demandAccess, demandModerator } from './access.ts'
import { chatHub, readState } from './hub.ts'
import { Ban, BanRequest, ban, presentBan, removeMessage } from './moderate.ts'
import { Message, MessageText, presentMessage } from './view.ts'
import { writeMessage } from './write.ts'

const token = z.string().max(1_000).describe('Chat token')

const shared = {
  public: true,
  ignoresOtherQuery: true,
  cors: true,
  viewers: true,
  beyondContract: true,
} as const

const refusals = ['rate_limited', chatTokenInvalid, chatBanned] as const

/** Maximum size in bytes of the data that is kept for a slow reader. The reader then reconnects. */
const mostBuffered = 64 * 1_024

/** Random part of the reconnection delay in milliseconds, so that not all viewers reconnect in the same moment. */
const [retryMs, spreadMs] = [1_000, 4_000]

export const watch = route({
  ...shared,
  method: 'GET',
  path: '/live/chat/{token}/stream',
  summary: 'Stream a chat',
  description:
    'Server-sent events. `ready` has your person, the state and the last messages. Then `message`, `deleted` (`messageId` or `personId`), `state`, `banned` and `revoked` follow.',
  limit: { perMinute: 6_000, by: 'ip' },
  params: z.object({ token }),
  status: 200,
  raw: 'text/event-stream',
  problems: [...refusals],
  async handle({ params, ctx, db, services }) {
    const access = await demandAccess({ db, services }, params.token)
    const { channel_id: channelId, person_id: personId, id: tokenId } = access
    const reader = services(chatHub).join({ channelId, personId, tokenId })
    try {
      const first = await readFirst(db, access)
      // A ban that was added since the first check was notified before this reader had a stream.
      const { expires_at } = await demandAccess({ db, services }, params.token)
      if (ctx.res.closed) return reader.leave()
      const retry = retryMs + Math.floor(Math.random() * spreadMs)
      const options = { stopping: services(stopping), until: expires_at, retryMs: retry, mostBuffered }
      reader.begin(openEventStream(ctx, options), formatEvent('ready', first))
    } catch (error) {
      reader.leave()
      throw error
    }
  },
})

async function readFirst(db: Parameters<typeof readState>[0], access: ChatAccess) {
  const { history, ...state } = await readState(db, access.channel_id)
  const last = history === 0 ? [] : await messages.listLast(db, access.channel_id, history)
  return {
    channelId: access.channel_id,
    me: { personId: access.person_id, name: access.name, role: access.role, canClip: access.can_clip },
    ...state,
    messages: last.map(presentMessage),
  }
}

export const write = route({
  ...shared,
  method: 'POST',
  path: '/live/chat/{token}/messages',
  summary: 'Write a chat message',
  description: 'Returns `429` in slow mode, or after five messages in ten seconds. `Retry-After` has the delay.',
  limit: { perMinute: 600, by: 'ip' },
  params: z.object({ token }),
  body: z.strictObject({ text: MessageText }),
  status: 201,
  reply: Message,
  problems: [...refusals, chatClosed],
  async handle({ params, body, db, services }) {
    const access = await demandAccess({ db, services }, params.token)
    const count = () => services(chatHub).countMessage(access.channel_id)
    return presentMessage(await writeMessage(db, access, body.text, count))
  },
})

export const remove = route({
  ...shared,
  method: 'DELETE',
  path: '/live/chat/{token}/messages/{messageId}',
  summary: 'Delete a chat message as its author or a moderator',
  description: 'Viewers can delete their own messages. Moderators can delete all messages.',
  limit: { perMinute: 600, by: 'ip' },
  params: z.object({ token, messageId: Id }),
  status: 200,
  reply: z.object({ messageId: Id, deleted: z.literal(true) }),
  problems: [...refusals, 'not_found'],
  async handle({ params, db, services }) {
    const access = await demandAccess({ db, services }, params.token)
    const of =
      access.role === 'moderator'
        ? { by: `moderator:${access.person_id}` }
        : { by: 'author', personId: access.person_id }
    const done = await db.transaction((tx) => removeMessage(tx, access.channel_id, params.messageId, of))
    if (!done) throw notFound('chat message')
    return { messageId: params.messageId, deleted: true as const }
  },
})

const onePerson = {
  ...shared,
  path: '/live/chat/{token}/bans/{personId}',
  limit: { perMinute: 600, by: 'ip' },
  params: z.object({ token, personId: Id }),
  status: 200,
  problems: [...refusals, 'not_found', chatForbidden],
} as const

export const banPerson = route({
  ...onePerson,
  method: 'PUT',
  summary: 'Ban a person as a moderator',
  description: 'Disconnects the person within a second. The chat token must have the role `moderator`.',
  body: BanRequest,
  reply: Ban,
  async handle({ params: { token: given, personId }, body, db, services }) {
    const access = await demandModerator({ db, services }, given)
    if (personId === access.person_id) throw chatForbidden('You cannot ban yourself.')
    const by = `moderator:${access.person_id}`
    const banned = await db.transaction((tx) => ban(tx, access.channel_id, personId, { ...body, by }))
    if (!banned) throw notFound('person')
    return presentBan(banned)
  },
})

export const unbanPerson = route({
  ...onePerson,
  method: 'DELETE',
  summary: 'Remove a ban as a moderator',
  description: 'The person can read and write again with a valid token.',
  reply: z.object({ personId: Id, removed: z.literal(true) }),
  async handle({ params: { token: given, personId }, db, services }) {
    const access = await demandModerator({ db, services }, given)
    if (!(await db.transaction((tx) => people.unban(tx, access.channel_id, personId)))) throw notFound('ban')
    return { personId, removed: true as const }
  },
})
