import type { RenditionHeight } from '#sql/live/channels.ts'
import type { RenditionFacts } from './renditions.ts'

/** What a channel's packager passes on of its input: everything that arrives, also what viewers are not shown. */
export interface LivePart {
  /** Counts what lies between two discontinuities of this channel: with each, times begin anew and `init` may be another. */
  run: number
  /** Counts the parts of a run from 0. */
  sequence: number
  /** `ftyp` and `moov` of the run (ISO/IEC 14496-12); with the run's parts behind it, it is a fragmented MP4. */
  init: Buffer
  /** `moof` and `mdat`. */
  data: Buffer
  /** Seconds since the run began. */
  time: number
  /** Seconds. */
  duration: number
  /** Pictures in it. */
  frames: number
  /** Whether it begins with a picture that needs no other. */
  independent: boolean
  /** When it was complete, in milliseconds since 1970. */
  at: number
}

/**
 * `connecting`: the input is being opened, or opened again after the packager died. `live`: players can begin with
 * the playlist. `ended`: the input is over, of itself or by `stop`, and no packager will be started again.
 */
export type LiveState = 'connecting' | 'live' | 'ended'

/** How a publication goes. */
export interface LiveStats {
  state: LiveState
  /** Milliseconds since 1970; null before the first part. */
  lastPartAt: number | null
  /** The last part that viewers may ask for: the segment's media sequence number, its place in that, seconds, milliseconds since 1970. */
  lastPart: { segment: number; part: number; duration: number; at: number } | null
  /** Bits a second over the last 10 s or so. */
  bitRate: number
  framesPerSecond: number
  /** Codecs as in RFC 6381, such as `avc1.64001f`; null before they are known. */
  video: { codec: string; width: number; height: number } | null
  audio: { codec: string; sampleRate: number; channels: number } | null
  /**
   * Renditions that are made of it, and whether they are: `unavailable` where there is no room for them, or its pictures come too fast;
   * `failed` while that is tried again; undefined where none is lower.
   */
  renditions: readonly RenditionFacts[]
  transcode: 'on' | 'unavailable' | 'failed' | undefined
  /** Seconds between the last two pictures that need no other; null before there were two. */
  keyFrameSeconds: number | null
  /** What the publisher should change, in sentences. */
  warnings: string[]
  /** Sessions that asked for anything within the last 10 s. */
  viewers: number
}

/** One publisher's input to package and serve. */
export interface ChannelOptions {
  channelId: string
  /** What ffmpeg reads, such as `rtmp://127.0.0.1:1936/live/NAME`, an `srt://` listener, or a local file. */
  input: string
  /** Options of ffmpeg for that input. */
  inputOptions?: readonly string[]
  /** How far viewers can go back; at least the playlist's minimum. */
  dvrSeconds: number
  /** How often a worker took the broadcast over from another, this time included. */
  takeovers?: number
  /** What is made beside the source; those that are not lower than it are left out. */
  renditions?: readonly RenditionHeight[]
  /** Takes room for what is made of the source, in place of what was taken for the channel before; false where there is too little. */
  takeRoom?(heights: readonly RenditionHeight[]): boolean
  /** Whether viewers are shown a slate while nothing comes. */
  slate?: boolean
  /** Called in order; what it does must not take long. */
  onPart?(part: LivePart): void
  onState?(state: LiveState, why: string): void
}

/** A channel that is being served. */
export interface LiveChannel {
  /**
   * Ends its packager. With `ended` the playlist says that nothing follows; without, viewers wait for `startChannel` with the same
   * id, and only when none comes within the linger time are they told so.
   */
  stop(options?: { ended?: boolean }): Promise<void>
  stats(): LiveStats
}

/** The origin of one worker: its channels under one address. */
export interface LiveOrigin {
  /** Where ingress reaches it: `{url}/{channelId}/{file}` with the token of `signOrigin`. */
  url: string
  /** Begins to package and serve an input; a publication of the same channel that still runs is stopped first. */
  startChannel(options: ChannelOptions): LiveChannel
  close(): Promise<void>
}

/** How the origin of a worker is served. */
export interface LiveOriginOptions {
  /** Folder for the segments of DVR; what is in it is removed. */
  folder: string
  /** Signs the requests of ingress. */
  secret: string
  host?: string
  /** 0 takes a free one. */
  port?: number
  /** Scheme, host and port under which ingress reaches it, where that is not `host` and `port`. */
  publicUrl?: string | undefined
  /** Length of a part in milliseconds, as near as whole frames come to it. */
  partMs?: number
  /** Seconds for which viewers wait for a publisher to come back. */
  lingerSeconds?: number
  /** The ffmpeg program. */
  ffmpeg?: string
}
