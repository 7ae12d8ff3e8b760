import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** Claims of a playback token: session, asset, host, and expiry in seconds since 1970. */
export const Claims = z.object({ sid: Id, aid: Id, host: z.string(), exp: z.number() })

export type Claims = z.infer<typeof Claims>

/**
 * Purpose of on-demand tokens. It is signed, so on-demand tokens do not work for live channels, and live tokens do not
 * work for assets.
 */
const purpose = 'video.vod'

export const signPlaybackToken = (claims: Claims, secret: string): string => signToken(purpose, claims, secret)

/**
 * Returns the claims of an authentic token, even if it has expired. Returns `null` if the token is forged or has a
 * different purpose.
 */
export const readPlaybackToken = (token: string, secret: string): Claims | null =>
  verifyToken(purpose, token, secret, Claims, 0)

/**
 * Purpose of view tokens. With a view token, a player without a playback token can report the quality of a view. The
 * token does not allow playback.
 */
const viewPurpose = 'video.view'

export const signViewToken = (claims: Claims, secret: string): string => signToken(viewPurpose, claims, secret)

/** Returns the claims of an authentic view token, even if it has expired. */
export const readViewToken = (token: string, secret: string): Claims | null =>
  verifyToken(viewPurpose, token, secret, Claims, 0)

/** Returns the host of an origin in lower case, without a port. Tokens contain this form. */
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
