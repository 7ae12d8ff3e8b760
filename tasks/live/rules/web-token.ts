import { z } from 'zod'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'video.live-web'
const Claims = z.object({ about: z.string(), exp: z.number() })

const tokenSeconds = 60

/**
 * Returns the token that ingress sends to a worker after it has admitted a publisher or viewer. `about` is the
 * connection ID.
 */
export const signWebToken = (about: string, secret: string, now = Date.now()): string =>
  signToken(purpose, { about, exp: Math.floor(now / 1000) + tokenSeconds }, secret)

export const isValidWebToken = (token: string, about: string, secret: string): boolean =>
  verifyToken(purpose, token, secret, Claims)?.about === about
