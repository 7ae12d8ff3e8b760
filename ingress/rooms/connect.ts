import { z } from 'zod'
import { forbidden, notFound, unavailable } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as links from '#sql/rooms/guest-links.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { readRoomToken } from '#tasks/rooms/rules/room-token.ts'
import { requireOpenOrganisation } from '../http/demand-open.ts'
import { viewerRoute } from '../http/pages/open-routes.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { findRoomGateway } from './place.ts'

const ended = problem(410, 'room_ended', 'The room has ended.')

const tokenInvalid = problem(401, 'token_invalid', 'The token is invalid, has expired, or is for a different room.')

export const connect = route({
  ...viewerRoute,
  path: '/rooms/{roomId}/connect',
  summary: 'Get the gateway of a room',
  params: z.object({ roomId: Id }),
  query: z.object({ token: z.string().max(2000) }),
  status: 200,
  reply: z.object({ roomId: Id, name: z.string(), url: z.string() }),
  problems: ['forbidden', 'not_found', 'server_error', ended, tokenInvalid],
  async handle({ params: { roomId }, query, db, services }) {
    const claims = readRoomToken(query.token, services(signingSecret))
    if (claims?.room !== roomId) throw tokenInvalid('The token is not valid for this room.')
    const room = await rooms.findAny(db, roomId)
    if (!room) throw notFound('room')
    await requireOpenOrganisation(db, room.org_id, 'room')
    if (room.ended_at) throw ended('The room has ended.')
    if (await participants.isTokenRevoked(db, roomId, claims.jti)) throw forbidden('You were removed from the room.')
    if (await links.isTokenRevoked(db, claims)) throw tokenInvalid('The guest link was revoked.')
    const url = await findRoomGateway(db, roomId)
    if (!url) throw unavailable('No worker is available to open the room. Try again in a moment.')
    return { roomId, name: room.name, url }
  },
})
