import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** Content of a live playback token: session, channel, host on which it is valid, and expiry (seconds since 1970). */
export const LiveClaims = z.object({ sid: Id, cid: Id, host: z.string(), exp: z.number() })

export type LiveClaims = z.infer<typeof LiveClaims>

/** Part of the signature, so that live tokens cannot open assets and asset tokens cannot open channels. */
const purpose = 'video.live'

export const signLiveToken = (claims: LiveClaims, secret: string): string => signToken(purpose, claims, secret)

/** Returns the claims of an authentic live token, even if it has expired. Returns null for other texts. */
export const readLiveToken = (token: string, secret: string): LiveClaims | null =>
  verifyToken(purpose, token, secret, LiveClaims, 0)

export const livePlaylistUrl = (base: string, token: string): string =>
  `${base}/v1/stream/live/play/${token}/index.m3u8`

export const whepUrl = (base: string, token: string): string => `${base}/v1/stream/live/play/${token}/whep`

export const livePageUrl = (base: string, token: string): string => `${base}/v1/stream/live/watch/${token}`

/** Returns the permanent URL of a channel. With `?token=`, it redirects to the playlist of the session. */
export const channelPlaylistUrl = (base: string, channelId: string): string =>
  `${base}/v1/stream/live/hls/${channelId}/index.m3u8`

/**
 * Returns the playlist of a channel that needs no token. sql/migrations/0011_directory_live.sql contains the same path.
 */
export const openPlaylistUrl = (base: string, channelId: string): string =>
  `${base}/v1/stream/live/open/${channelId}/index.m3u8`
