import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/**
 * Content of a live playback token: session, channel, the host on which it is valid, and expiry (seconds since 1970).
 */
export const LiveClaims = z.object({ sid: Id, cid: Id, host: z.string(), exp: z.number() })

export type LiveClaims = z.infer<typeof LiveClaims>

/**
 * Purpose of live tokens. It is part of the signature, so live tokens do not give access to assets, and asset tokens do
 * not give access to channels.
 */
const purpose = 'video.live'

export const signLiveToken = (claims: LiveClaims, secret: string): string => signToken(purpose, claims, secret)

/** Returns the claims of an authentic live token, even if it has expired. Returns null for other strings. */
export const readLiveToken = (token: string, secret: string): LiveClaims | null =>
  verifyToken(purpose, token, secret, LiveClaims, 0)

export const livePlaylistUrl = (base: string, token: string): string =>
  `${base}/v1/stream/live/play/${token}/index.m3u8`

export const whepUrl = (base: string, token: string): string => `${base}/v1/stream/live/play/${token}/whep`

export const livePageUrl = (base: string, token: string): string => `${base}/v1/stream/live/watch/${token}`

/** Returns the permanent URL of a channel. With `?token=`, this URL redirects to the playlist of the session. */
export const channelPlaylistUrl = (base: string, channelId: string): string =>
  `${base}/v1/stream/live/hls/${channelId}/index.m3u8`

/**
 * Returns the playlist URL of a channel that needs no token. sql/migrations/0069_directory_live.sql contains the same
 * path.
 */
export const openPlaylistUrl = (base: string, channelId: string): string =>
  `${base}/v1/stream/live/open/${channelId}/index.m3u8`
