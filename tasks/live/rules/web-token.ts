import { z } from 'zod'
import { signToken, verifyToken } from '#lib/tokens.ts'

const purpose = 'video.live-web'
const Claims = z.object({ about: z.string(), exp: z.number() })

/** Seconds for which a token of ingress holds at a worker. */
const tokenSeconds = 60

/** What ingress shows to a worker, once it has admitted a publisher or viewer by WebRTC; `about` is their connection's id. */
export const signWeb = (about: string, secret: string, now = Date.now()): string =>
  signToken(purpose, { about, exp: Math.floor(now / 1000) + tokenSeconds }, secret)

/** Whether a token of `signWeb` holds for a connection now. */
export const opensWeb = (token: string, about: string, secret: string): boolean =>
  verifyToken(purpose, token, secret, Claims)?.about === about
