import type { EndReason } from '#sql/live/broadcasts.ts'
import type { Channel } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import type * as restreams from '#sql/live/restream-queries.ts'
import type { Facts, Session } from '#sql/live/sessions.ts'

export type Source = Session['source']

/** The stream name of a publisher, or the channel of the SRT listener, which has already checked the passphrase. */
export type Credential = { streamKey: string } | { srtChannelId: string }

export interface ChannelKey {
  channel: Channel
  source: Source
  hash: string
  /** True if the key was rotated and is no longer valid. */
  isFormer?: boolean
}

export interface RecordedChunk {
  number: number
  epoch: number
  body: Buffer
  seconds: number
}

/** Stores a chunk. It can be called twice with the same chunk. */
export type KeepChunk = (chunk: RecordedChunk, signal: AbortSignal) => Promise<void>

export interface RecordingStart {
  number: number
  epoch: number
}

export interface Admission {
  broadcastId: string
  /** Number of takeovers of the broadcast by a worker, including this one. */
  takeovers: number
  /** Undefined if the channel is not recorded. */
  recording: { start: RecordingStart; keep: KeepChunk } | undefined
}

export interface ChannelReport {
  channelId: string
  isLive: boolean
  source: Source
  facts: Facts
  hasPart: boolean
}

/** A time without a publisher: its start (milliseconds since 1970), and whether the last publisher sent any data. */
export interface Absence {
  since: number
  wasHeard: boolean
}

export type Standing =
  | { state: 'lost' }
  /** With `unlessBack`, the broadcast does not end if a publisher has connected in the meantime. */
  | { state: 'over'; reason: EndReason; unlessBack: boolean }
  | { state: 'held'; channel: Channel }

export interface Admissions {
  /** Returns the channel of a credential, even if it was rotated. Returns null for an unknown credential. */
  identify(credential: Credential): Promise<ChannelKey | null>
  /** Assigns a channel to this worker, or returns the reason why it cannot. Takes up to 8 s. */
  admit(channel: Channel, source: Source): Promise<Admission | Reason>
  refuse(channelId: string, source: Source, reason: Reason): Promise<void>
  goLive(broadcastId: string): Promise<void>
  report(report: ChannelReport): Promise<void>
  renew(report: ChannelReport, absence: Absence | undefined): Promise<Standing>
  /** Ends a broadcast and releases its channel. If the database is unavailable, retries for a minute. */
  end(channelId: string, broadcastId: string, reason: EndReason): Promise<void>
  /** Lets another worker take the channel immediately and continue its broadcast. */
  giveUp(channelId: string): Promise<void>
  sweep(heldChannelIds: readonly string[]): Promise<void>
}

export interface SrtPorts {
  list(): Promise<readonly Channel[]>
  /** Moves a channel to another port because a program outside Millrace uses `taken`. */
  move(channelId: string, taken: number): Promise<void>
}

export interface RestreamTargets {
  list(channelId: string): Promise<readonly restreams.Target[]>
  tell(target: restreams.Target, told: { state: restreams.State; reason: restreams.Reason | null }): Promise<void>
}

/** A WebRTC viewer. Its session ID is the channel ID if the channel needs no session. */
export interface WebViewer {
  channelId: string
  sessionId: string
}

/** Where the frames of a broadcast are read, and the reader's credential. */
export interface FrameSource {
  url: string
  token: string
}

export interface WebPublishing {
  /** Calls back for each revoked playback session, and for each channel that now needs a session. */
  watch(onRevoked: (id: string) => void): { close(): Promise<void> }
  /**
   * Returns the reason why a publisher that ingest refuses may not retry. Undefined if it may retry. `since` is the
   * time of its first attempt.
   */
  whyOver(publisher: {
    channelId: string
    source: Source
    hash: string
    since: number
  }): Promise<Reason | 'deleted' | undefined>
  remove(id: string): Promise<void>
  removeOthers(ids: readonly string[]): Promise<void>
  tellViewers(viewers: ReadonlyMap<string, number>): Promise<void>
  /** Returns the source of the broadcast of an encoder. Null if nothing is being broadcast. */
  findFrames(channelId: string): Promise<FrameSource | null>
  /** Stores the number of viewers of each broadcast of an encoder that this worker sends. */
  tellFeeds(viewers: ReadonlyMap<string, number>): Promise<void>
  listGone(viewers: readonly WebViewer[]): Promise<ReadonlySet<string>>
}
