import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'rooms.guest'

const GuestClaims = z.object({ room: Id, link: Id, exp: z.number() })

export type GuestClaims = z.infer<typeof GuestClaims>

/** Returns the signed part of a guest link. `exp` is in seconds since 1970. */
export const signGuestLink = (claims: GuestClaims, secret: string): string => signToken(purpose, claims, secret)

/** Returns the claims of a valid guest link. Returns null for other strings and for expired links. */
export const readGuestLink = (token: string, secret: string): GuestClaims | null =>
  verifyToken(purpose, token, secret, GuestClaims)
