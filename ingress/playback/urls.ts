import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** What a playback token says: session, asset, the host it may be presented on, and when it ends (seconds since 1970). */
export const Claims = z.object({ sid: Id, aid: Id, host: z.string(), exp: z.number() })

export type Claims = z.infer<typeof Claims>

/** On-demand tokens open no live path and the other way round: the purpose is part of what is signed. */
const purpose = 'video.vod'

/** Signs a playback token. */
export const signPlayback = (claims: Claims, secret: string): string => signToken(purpose, claims, secret)

/** The claims of a genuine token, also of one that is over; null for one that is forged, or for something else. */
export const readPlayback = (token: string, secret: string): Claims | null =>
  verifyToken(purpose, token, secret, Claims, 0)

/** Lets a player tell how an asset plays that needs no token; nothing can be played with it. */
const viewPurpose = 'video.view'

/** Signs a token of a view without a session. */
export const signView = (claims: Claims, secret: string): string => signToken(viewPurpose, claims, secret)

/** The claims of a genuine token of a view without a session, also of one that is over. */
export const readView = (token: string, secret: string): Claims | null =>
  verifyToken(viewPurpose, token, secret, Claims, 0)

/** The host of a request or URL, without port and in lower case: what a token is bound to. */
export const hostOf = (origin: string): string => new URL(origin).hostname.toLowerCase()

/** The base address of a customer's own domain that has a certificate. */
export function domainBase(host: string): string {
  const port = config.TLS_PUBLIC_PORT ?? config.TLS_PORT ?? 443
  return port === 443 ? `https://${host}` : `https://${host}:${port}`
}

/** The base address on another host name: scheme and port stay. */
export function onHost(base: string, host: string): string {
  const url = new URL(base)
  url.hostname = host
  return url.origin
}

/** Where an asset is played with a token. */
export const signedBase = (origin: string, token: string): string => `${origin}/v1/stream/play/${token}`
