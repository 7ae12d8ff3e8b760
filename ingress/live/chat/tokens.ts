import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import { UserId } from '#lib/user-id.ts'
import * as channels from '#sql/live/channels.ts'
import * as people from '#sql/live/chat-people.ts'
import * as tokens from '#sql/live/chat-tokens.ts'
import * as chats from '#sql/live/chats.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../../http/instant.ts'
import { mustFind } from '../../http/must-find.ts'
import { removeRoute } from '../../http/remove-route.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { signingSecret } from '../../http/services.ts'
import { chatUrl, signChatToken } from './access.ts'
import { DisplayName } from './view.ts'

const params = z.object({ channelId: pathId('live channel') })

export const create = route({
  method: 'POST',
  path: '/live/channels/{channelId}/chat/tokens',
  summary: 'Create a chat token',
  description:
    'Create one token per viewer on your server, and give the token to your page or to `<mill-chat>`. With the token, the viewer reads and writes the chat of this channel only.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({
    userId: UserId,
    name: DisplayName.describe('Name that other viewers see'),
    role: tokens.TokenRole.default('viewer').describe('Moderators delete messages and ban viewers'),
    canClip: z.boolean().default(false).describe('Whether the person can create clips of the broadcast'),
    expiresInSeconds: z.int().min(60).max(604_800).default(43_200),
  }),
  status: 201,
  reply: z
    .object({
      tokenId: Id,
      personId: Id.describe('Person in this chat, for bans'),
      userId: UserId,
      name: z.string(),
      role: tokens.TokenRole,
      canClip: z.boolean(),
      isBanned: z.boolean().describe('True if the person is banned, so that the token does not work'),
      token: secret(z.string()),
      url: secret(z.url()).describe('Base URL of the chat with the token, for your own client'),
      expiresAt: Instant,
    })
    .meta({ id: 'live.ChatToken' }),
  problems: ['not_found'],
  example: { body: { userId: 'user-17', name: 'Ada', role: 'viewer' } },
  async handle({ params: { channelId }, body, org, db, origin, services }) {
    const { userId, name, role, canClip, expiresInSeconds } = body
    const exp = Math.floor(Date.now() / 1_000) + expiresInSeconds
    return await db.transaction(async (tx) => {
      await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      const person = await people.put(tx, { org_id: org.id, channel_id: channelId, identity: userId, name })
      const made = await tokens.insert(tx, {
        id: newId(),
        org_id: org.id,
        channel_id: channelId,
        person_id: person.id,
        name,
        role,
        can_clip: canClip,
        expires_at: new Date(exp * 1_000),
      })
      const token = signChatToken({ id: made.id, exp }, services(signingSecret))
      return {
        tokenId: made.id,
        personId: person.id,
        userId,
        name,
        role,
        canClip,
        isBanned: await people.isBannedNow(tx, person.id),
        token,
        url: chatUrl(getPublicBase(origin), token),
        expiresAt: made.expires_at,
      }
    })
  },
})

export const remove = removeRoute({
  path: '/live/channels/{channelId}/chat/tokens/{tokenId}',
  summary: 'Revoke a chat token',
  description: 'Disconnects the streams that use the token. The person can get a new token.',
  scope: 'stream:write',
  beyondContract: true,
  params: params.extend({ tokenId: pathId('chat token') }),
  reply: { tokenId: Id },
  done: 'revoked',
  what: 'chat token',
  async remove({ params: { channelId, tokenId }, org, db }) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    if (!(await tokens.revoke(db, channelId, tokenId))) return false
    await chats.notify(db, { c: channelId, e: 'revoked', t: tokenId })
    return true
  },
})
