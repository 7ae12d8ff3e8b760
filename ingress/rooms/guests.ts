import { z } from 'zod'
import { withoutControl } from '#lib/characters.ts'
import { Id, newId } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as links from '#sql/rooms/guest-links.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { readGuestLink } from '#tasks/rooms/rules/guest-link.ts'
import { signRoomToken } from '#tasks/rooms/rules/room-token.ts'
import type { Services } from '../http/container.ts'
import { requireOpenOrganisation } from '../http/demand-open.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'

const ended = problem(410, 'room_ended', 'The room has ended.')

const tokenInvalid = problem(401, 'token_invalid', 'The link is invalid, or is for a different room.')

const tokenRevoked = problem(403, 'token_revoked', 'The link was revoked.')

const forGuests = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  limit: { perMinute: 60, by: 'ip' },
  params: z.object({ roomId: Id }),
  status: 200,
  problems: ['not_found', ended, tokenInvalid, tokenRevoked],
} as const

const Invite = z.string().max(2_000)

async function findInvitation(db: DatabasePool, services: Services, roomId: string, invite: string) {
  const claims = readGuestLink(invite, services(signingSecret))
  if (claims?.room !== roomId) throw tokenInvalid('The link is not valid for this room.')
  const room = await mustFind(rooms.findAny(db, roomId), 'room')
  await requireOpenOrganisation(db, room.org_id, 'room')
  if (room.ended_at) throw ended('The room has ended.')
  const link = await links.find(db, roomId, claims.link)
  if (!link || link.revoked_at) throw tokenRevoked('The link was revoked.')
  return { room, link, exp: claims.exp }
}

export const check = route({
  ...forGuests,
  method: 'GET',
  path: '/rooms/{roomId}/guests',
  summary: 'Check a guest link',
  query: z.object({ invite: Invite }),
  reply: z.object({ name: z.string(), role: links.GuestRole }),
  async handle({ params: { roomId }, query: { invite }, db, services }) {
    const { room, link } = await findInvitation(db, services, roomId, invite)
    return { name: room.name, role: link.role }
  },
})

/** Maximum validity of a guest’s token in seconds: the longest that a token can have. */
const longestToken = 43_200

export const admit = route({
  ...forGuests,
  method: 'POST',
  path: '/rooms/{roomId}/guests',
  summary: 'Get a join token with a guest link',
  body: z.strictObject({
    invite: Invite,
    displayName: z.string().trim().min(1).max(100).regex(withoutControl, 'must not contain control characters'),
  }),
  reply: z.object({ token: secret(z.string()) }),
  async handle({ params: { roomId }, body: { invite, displayName }, db, services }) {
    const { link, exp } = await findInvitation(db, services, roomId, invite)
    if (!(await links.countGuest(db, link.id))) throw tokenRevoked('The link was revoked.')
    const jti = newId()
    const claims = { room: roomId, jti, identity: `guest-${jti}`, displayName, role: link.role, link: link.id }
    const latest = Math.floor(Date.now() / 1_000) + longestToken
    return { token: signRoomToken({ ...claims, exp: Math.min(exp, latest) }, services(signingSecret)) }
  },
})
