import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'video.live-origin'
const Claims = z.object({ channel: Id, exp: z.number() })

const tokenSeconds = 120

export const signOriginToken = (channel: string, secret: string, now = Date.now()): string =>
  signToken(purpose, { channel, exp: Math.floor(now / 1000) + tokenSeconds }, secret)

export const isValidOriginToken = (token: string, channel: string, secret: string): boolean =>
  verifyToken(purpose, token, secret, Claims)?.channel === channel
