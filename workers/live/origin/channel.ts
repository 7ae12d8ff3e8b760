import type { RenditionHeight } from '#sql/live/channels.ts'
import type { RenditionFacts } from './renditions.ts'

/** A part that the packager created. It includes everything that arrives, even if viewers do not see it. */
export interface LivePart {
  /**
   * Number of the run, the media between two discontinuities of this channel. Times restart in each run, and `init` can
   * change.
   */
  run: number
  sequence: number
  /** `ftyp` and `moov` of the run (ISO/IEC 14496-12). Together with the parts of the run, it is a fragmented MP4. */
  init: Buffer
  /** `moof` and `mdat`. */
  data: Buffer
  /** Seconds since the start of the run. */
  time: number
  /** Seconds. */
  duration: number
  frames: number
  /** True if the part starts with a key frame. */
  independent: boolean
  /** Time of completion in milliseconds since 1970. */
  at: number
}

/**
 * `connecting`: the input is being opened, or reopened after the packager died. `live`: players can start with the
 * playlist. `ended`: the input has ended, and no packager will be started again.
 */
export type LiveState = 'connecting' | 'live' | 'ended'

export interface LiveStats {
  state: LiveState
  /** Milliseconds since 1970. Null before the first part. */
  lastPartAt: number | null
  /**
   * The last available part: media sequence number of its segment, its index, its duration in seconds, and its time in
   * milliseconds since 1970.
   */
  lastPart: { segment: number; part: number; duration: number; at: number } | null
  /** Bits per second, over about 10 s. */
  bitRate: number
  framesPerSecond: number
  /** Codecs as in RFC 6381, for example `avc1.64001f`. Null before they are known. */
  video: { codec: string; width: number; height: number } | null
  audio: { codec: string; sampleRate: number; channels: number } | null
  /**
   * The renditions and their state. `unavailable`: no capacity, or the frame rate is too high. `failed`: it will be
   * tried again. Undefined if none is lower than the source.
   */
  renditions: readonly RenditionFacts[]
  transcode: 'on' | 'unavailable' | 'failed' | undefined
  /** Seconds between the last two key frames. Null before there were two. */
  keyFrameSeconds: number | null
  warnings: string[]
  /** Sessions with a request within the last 10 s. */
  viewers: number
}

export interface ChannelOptions {
  channelId: string
  /** Input for ffmpeg, for example `rtmp://127.0.0.1:1936/live/NAME`, an `srt://` listener, or a local file. */
  input: string
  inputOptions?: readonly string[]
  /** Time in seconds that viewers can rewind, at least the minimum of the playlist. */
  dvrSeconds: number
  takeovers?: number
  /** Renditions to create. Heights that are not lower than the source are ignored. */
  renditions?: readonly RenditionHeight[]
  /**
   * Reserves capacity for renditions, instead of the previous reservation of the channel. Returns false if there is not
   * enough.
   */
  takeRoom?(heights: readonly RenditionHeight[]): boolean
  slate?: boolean
  /** Called in order. Must return quickly. */
  onPart?(part: LivePart): void
  onState?(state: LiveState, why: string): void
}

export interface LiveChannel {
  /**
   * Stops the packager. With `ended`, the playlist ends. Without it, viewers wait for a new `startChannel` with the
   * same ID, until the linger time ends.
   */
  stop(options?: { ended?: boolean }): Promise<void>
  stats(): LiveStats
}

export interface LiveOrigin {
  /** URL for ingress: `{url}/{channelId}/{file}` with the token of `signOriginToken`. */
  url: string
  /** Packages and serves an input. Stops a running publication of the same channel first. */
  startChannel(options: ChannelOptions): LiveChannel
  close(): Promise<void>
}

export interface LiveOriginOptions {
  folder: string
  secret: string
  host?: string
  port?: number
  /** Scheme, host and port for ingress if they differ from `host` and `port`. */
  publicUrl?: string | undefined
  /** Duration of a part in milliseconds, as exact as whole frames allow. */
  partMs?: number
  lingerSeconds?: number
  ffmpeg?: string
}
