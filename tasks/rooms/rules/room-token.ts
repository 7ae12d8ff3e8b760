import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import { Role } from '#sql/rooms/participants.ts'

const purpose = 'video.room'

/** What a room's token says of who joins with it. */
export const RoomClaims = z.object({
  room: Id,
  jti: Id,
  identity: z.string(),
  displayName: z.string(),
  role: Role,
  exp: z.number(),
})

export type RoomClaims = z.infer<typeof RoomClaims>

/** A token that lets somebody into a room until `exp`, in seconds since 1970. */
export const signRoomToken = (claims: RoomClaims, secret: string): string => signToken(purpose, claims, secret)

/** The claims of a room's token that is not over; null for any other text. */
export const readRoomToken = (token: string, secret: string): RoomClaims | null =>
  verifyToken(purpose, token, secret, RoomClaims)
