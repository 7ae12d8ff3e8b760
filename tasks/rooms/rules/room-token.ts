import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import { Role } from '#sql/rooms/participants.ts'

const purpose = 'video.room'

export const RoomClaims = z.object({
  room: Id,
  jti: Id,
  identity: z.string(),
  displayName: z.string(),
  role: Role,
  exp: z.number(),
  /** Guest link with which the token was created. */
  link: Id.optional(),
})

export type RoomClaims = z.infer<typeof RoomClaims>

/** Returns a token to join a room. `exp` is in seconds since 1970. */
export const signRoomToken = (claims: RoomClaims, secret: string): string => signToken(purpose, claims, secret)

/** Returns the claims of a valid room token. Returns null for other strings and for expired tokens. */
export const readRoomToken = (token: string, secret: string): RoomClaims | null =>
  verifyToken(purpose, token, secret, RoomClaims)
