import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'video.live-origin'
const Claims = z.object({ channel: Id, exp: z.number() })

/** Lifetime of a token in seconds. */
const tokenSeconds = 120

/** Returns the token with which ingress requests a channel from its origin, after it has admitted the viewer. */
export const signOrigin = (channel: string, secret: string, now = Date.now()): string =>
  signToken(purpose, { channel, exp: Math.floor(now / 1000) + tokenSeconds }, secret)

/** True if a token of `signOrigin` is valid for a channel. */
export const opensOrigin = (token: string, channel: string, secret: string): boolean =>
  verifyToken(purpose, token, secret, Claims)?.channel === channel
