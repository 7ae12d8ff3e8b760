import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** Claims of a playback token: session, asset, host, and expiry in seconds since 1970. */
export const Claims = z.object({ sid: Id, aid: Id, host: z.string(), exp: z.number() })

export type Claims = z.infer<typeof Claims>

/** On-demand tokens do not work for live channels and vice versa, because the purpose is signed. */
const purpose = 'video.vod'

export const signPlaybackToken = (claims: Claims, secret: string): string => signToken(purpose, claims, secret)

/** Returns the claims of a valid token, even if it has expired. `null` for a forged token or another purpose. */
export const readPlaybackToken = (token: string, secret: string): Claims | null =>
  verifyToken(purpose, token, secret, Claims, 0)

/** Lets a player report the quality of a view without a playback token. It does not allow playback. */
const viewPurpose = 'video.view'

export const signViewToken = (claims: Claims, secret: string): string => signToken(viewPurpose, claims, secret)

/** Returns the claims of a valid view token, even if it has expired. */
export const readViewToken = (token: string, secret: string): Claims | null =>
  verifyToken(viewPurpose, token, secret, Claims, 0)

/** Returns the host of an origin without port, in lower case, as tokens contain it. */
export const getHost = (origin: string): string => new URL(origin).hostname.toLowerCase()

export function getDomainBase(host: string): string {
  const port = config.TLS_PUBLIC_PORT ?? config.TLS_PORT ?? 443
  return port === 443 ? `https://${host}` : `https://${host}:${port}`
}

export function replaceHost(base: string, host: string): string {
  const url = new URL(base)
  url.hostname = host
  return url.origin
}

export const getPlaybackBase = (origin: string, token: string): string => `${origin}/v1/stream/play/${token}`
