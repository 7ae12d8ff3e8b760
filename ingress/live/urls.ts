import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'

/** What a live playback token says: session, channel, the host it may be presented on, and when it ends (seconds since 1970). */
export const LiveClaims = z.object({ sid: Id, cid: Id, host: z.string(), exp: z.number() })

export type LiveClaims = z.infer<typeof LiveClaims>

/** Live tokens open no asset and the other way round: the purpose is part of what is signed. */
const purpose = 'video.live'

/** Signs a live playback token. */
export const signLive = (claims: LiveClaims, secret: string): string => signToken(purpose, claims, secret)

/** The claims of a genuine live token, also of one that is over; null for one that is forged, or for something else. */
export const readLive = (token: string, secret: string): LiveClaims | null =>
  verifyToken(purpose, token, secret, LiveClaims, 0)

/** The multivariant playlist of a live session. */
export const livePlaylist = (base: string, token: string): string => `${base}/v1/stream/live/play/${token}/index.m3u8`

/** Where a live session is watched by WebRTC (WHEP). */
export const whepUrl = (base: string, token: string): string => `${base}/v1/stream/live/play/${token}/whep`

/** The page on which a live session is watched. */
export const livePage = (base: string, token: string): string => `${base}/v1/stream/live/watch/${token}`

/** A channel's own address, which leads a viewer with `?token=` to the playlist of their session. */
export const channelPlaylist = (base: string, channelId: string): string =>
  `${base}/v1/stream/live/hls/${channelId}/index.m3u8`

/** The playlist of a channel that needs no token; sql/migrations/0011_directory_live.sql has its path, too. */
export const openLive = (base: string, channelId: string): string =>
  `${base}/v1/stream/live/open/${channelId}/index.m3u8`
