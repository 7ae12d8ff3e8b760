import type { RenditionHeight } from '#sql/live/channels.ts'
import type { RenditionFacts } from './renditions.ts'

/** A part that the packager created. Includes all data that arrives, even if viewers do not see it. */
export interface LivePart {
  /**
   * Number of the run. A run is the media between discontinuities of this channel. Times restart in each run, and
   * `init` can change.
   */
  run: number
  sequence: number
  /**
   * `ftyp` and `moov` of the run (ISO/IEC 14496-12). Together with the parts of the run, they form a fragmented MP4.
   */
  init: Buffer
  /** `moof` and `mdat`. */
  data: Buffer
  /** Time in seconds since the start of the run. */
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
  /** Time of the last part in milliseconds since 1970. Null before the first part. */
  lastPartAt: number | null
  /**
   * Last available part: media sequence number of its segment, its index, its duration in seconds, and its time in
   * milliseconds since 1970.
   */
  lastPart: { segment: number; part: number; duration: number; at: number } | null
  /** Bit rate in bits per second, over about 10 s. */
  bitRate: number
  framesPerSecond: number
  /** Codecs as in RFC 6381, for example `avc1.64001f`. Null before they are known. */
  video: { codec: string; width: number; height: number } | null
  audio: { codec: string; sampleRate: number; channels: number } | null
  /**
   * Renditions and their state. `unavailable`: there is no capacity, or the frame rate is too high. `failed`: creating
   * them will be tried again. Undefined if no rendition is lower than the source.
   */
  renditions: readonly RenditionFacts[]
  transcode: 'on' | 'unavailable' | 'failed' | undefined
  /** Interval in seconds between the last key frames. Null before the second key frame. */
  keyFrameSeconds: number | null
  warnings: string[]
  /** Number of sessions with a request in the last 10 s. */
  viewers: number
}

export interface ChannelOptions {
  channelId: string
  /** Input for ffmpeg, for example `rtmp://127.0.0.1:1936/live/NAME`, an `srt://` listener, or a local file. */
  input: string
  inputOptions?: readonly string[]
  /** Duration in seconds that viewers can rewind. It is at least the minimum of the playlist. */
  dvrSeconds: number
  takeovers?: number
  /** Renditions to create. Heights that are not lower than the source are ignored. */
  renditions?: readonly RenditionHeight[]
  /**
   * Reserves capacity for renditions. This replaces the channel's previous reservation. Returns false if there is not
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
   * same ID until the linger time ends.
   */
  stop(options?: { ended?: boolean }): Promise<void>
  stats(): LiveStats
}

export interface LiveOrigin {
  /** URL for ingress: `{url}/{channelId}/{file}` with the token of `signOriginToken`. */
  url: string
  /** Packages and serves an input. Stops a running publication of the channel first. */
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
