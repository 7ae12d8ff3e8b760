import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'video.live-origin'
const Claims = z.object({ channel: Id, exp: z.number() })

/** Seconds for which a token of ingress opens a channel at its origin. */
const tokenSeconds = 120

/** What ingress shows to the origin of a channel, once it has admitted a viewer. */
export const signOrigin = (channel: string, secret: string, now = Date.now()): string =>
  signToken(purpose, { channel, exp: Math.floor(now / 1000) + tokenSeconds }, secret)

/** Whether a token of `signOrigin` opens a channel now. */
export const opensOrigin = (token: string, channel: string, secret: string): boolean =>
  verifyToken(purpose, token, secret, Claims)?.channel === channel
