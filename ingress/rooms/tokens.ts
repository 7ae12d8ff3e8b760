import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import { Role } from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { signRoomToken } from '#tasks/rooms/rules/room-token.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { findRoomGateway } from './place.ts'
import { roomEnded } from './room-view.ts'

const line = (max: number) =>
  z.string().trim().min(1).max(max).regex(withoutControl, 'must not contain control characters')

export const issue = route({
  method: 'POST',
  path: '/rooms/{roomId}/tokens',
  repeatable: true,
  summary: 'Issue a join token for a participant',
  description:
    'Issue one token per person and give it only to that person. A second connection with the same `identity` replaces the first. A `host` publishes and moderates, a `participant` publishes, and a `viewer` only watches.',
  scope: 'stream:write',
  params: z.object({ roomId: pathId('room') }),
  body: z.strictObject({
    identity: line(128).describe('Your ID for the person. For example, your user ID.'),
    displayName: line(100).optional().describe('Name that others see. Default: the identity.'),
    role: Role.default('participant'),
    ttlSeconds: z
      .int()
      .min(60)
      .max(43_200)
      .default(3600)
      .describe(
        'Time in seconds during which the token can be used to join. Participants who have joined can stay longer.',
      ),
  }),
  status: 201,
  reply: z
    .object({
      token: secret(z.string()),
      roomId: Id,
      identity: z.string(),
      displayName: z.string(),
      role: Role,
      url: z
        .string()
        .nullable()
        .describe('URL of the gateway to which clients currently connect. `null` while no worker can open rooms.'),
      joinUrl: secret(z.url()).describe('URL of the join page, including the token'),
      expiresAt: Instant,
    })
    .meta({ id: 'rooms.Token' }),
  problems: ['not_found', roomEnded],
  example: { body: { identity: 'user-17', displayName: 'Ann', role: 'host' } },
  async handle({ params: { roomId }, body, org, db, origin, services }) {
    const room = await mustFind(rooms.find(db, org.id, roomId), 'room')
    if (room.ended_at) throw roomEnded('The room has ended.', { endedAt: room.ended_at })
    const { identity, displayName = identity, role } = body
    const exp = Math.floor(Date.now() / 1000) + body.ttlSeconds
    const claims = { room: roomId, jti: newId(), identity, displayName, role, exp }
    const token = signRoomToken(claims, services(signingSecret))
    return {
      token,
      roomId,
      identity,
      displayName,
      role,
      url: await findRoomGateway(db, roomId),
      joinUrl: `${getPublicBase(origin)}/v1/stream/rooms/${roomId}/join?token=${token}`,
      expiresAt: new Date(exp * 1000),
    }
  },
})
