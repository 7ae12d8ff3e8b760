import type { EndReason } from '#sql/live/broadcasts.ts'
import type { Channel } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import type * as restreams from '#sql/live/restreams.ts'
import type { Facts, Session } from '#sql/live/sessions.ts'

/** Where a publisher comes from: with one of the channel's stream keys, or to its SRT listener. */
export type Source = Session['source']

/** What a publisher shows: the stream's name, or that it came by a channel's SRT listener, which has checked the passphrase. */
export type Credential = { streamKey: string } | { srtChannelId: string }

/** What a credential opens. */
export interface ChannelKey {
  channel: Channel
  source: Source
  hash: string
  /** It was rotated, and opens nothing any more. */
  isFormer?: boolean
}

/** Some seconds of a recording. */
export interface RecordedChunk {
  number: number
  epoch: number
  body: Buffer
  seconds: number
}

/** Keeps a chunk; it may be asked to keep the same one again. */
export type KeepChunk = (chunk: RecordedChunk, signal: AbortSignal) => Promise<void>

/** Where a recording goes on. */
export interface RecordingStart {
  number: number
  epoch: number
}

/** A channel that was given to a worker, with its broadcast. */
export interface Admission {
  broadcastId: string
  /** How often a worker took the broadcast over from another, this time included. */
  takeovers: number
  /** Undefined where the channel is not recorded. */
  recording: { start: RecordingStart; keep: KeepChunk } | undefined
}

/** What a worker knows of a channel that it has. */
export interface ChannelReport {
  channelId: string
  isLive: boolean
  /** What is broadcast, or was last. */
  source: Source
  facts: Facts
  /** Whether a part came since the last report. */
  hasPart: boolean
}

/** Since when nobody publishes (milliseconds since 1970), and whether anything came of the last who did. */
export interface Absence {
  since: number
  wasHeard: boolean
}

/** What follows for a channel that a worker has: it is another's, its broadcast is over, or it goes on. */
export type Standing =
  | { state: 'lost' }
  /** `unlessBack`: only if nobody has come to publish meanwhile. */
  | { state: 'over'; reason: EndReason; unlessBack: boolean }
  | { state: 'held'; channel: Channel }

/** What ingest needs to be told about publishers, channels and broadcasts. A worker has a channel for as long as its lease holds. */
export interface Admissions {
  /** The channel that a credential opens, or opened until it was rotated; null when it never did. */
  identify(credential: Credential): Promise<ChannelKey | null>
  /** Gives a channel to this worker; the reason when it is not to be had. Takes 8 s at most. */
  admit(channel: Channel, source: Source): Promise<Admission | Reason>
  /** Notes why a publisher is not broadcast, which its channel tells. */
  refuse(channelId: string, source: Source, reason: Reason): Promise<void>
  /** Notes that a broadcast can be watched. */
  goLive(broadcastId: string): Promise<void>
  /** Notes what is known of a channel. */
  report(report: ChannelReport): Promise<void>
  /** The same, and what follows for the channel. */
  renew(report: ChannelReport, absence: Absence | undefined): Promise<Standing>
  /** Ends a broadcast and gives its channel back; kept for a minute while the database is away. */
  end(channelId: string, broadcastId: string, reason: EndReason): Promise<void>
  /** Lets another worker take a channel at once, and go on with its broadcast. */
  giveUp(channelId: string): Promise<void>
  /** Gives up all channels but those that this worker has, and ends the broadcasts that dead workers left. */
  sweep(heldChannelIds: readonly string[]): Promise<void>
}

/** The ports on which channels are listened for by SRT. */
export interface SrtPorts {
  /** All channels that have one. */
  list(): Promise<readonly Channel[]>
  /** Has a channel listen on another port than `taken`, which a program that is none of Millrace's has. */
  move(channelId: string, taken: number): Promise<void>
}

/** The targets to which a worker sends broadcasts on. */
export interface RestreamTargets {
  /** Those of a channel that are enabled. */
  list(channelId: string): Promise<readonly restreams.Target[]>
  /** Notes how it goes with one. */
  tell(target: restreams.Target, told: { state: restreams.State; reason: restreams.Reason | null }): Promise<void>
}

/** Somebody who watches by WebRTC: their playback session, or the channel's id where that needs none. */
export interface WebViewer {
  channelId: string
  sessionId: string
}

/** What a worker of pool rooms needs to be told about those who publish and watch by WebRTC. */
export interface WebPublishing {
  /** Tells of each playback session that is revoked, and of each channel that needs one from now on. */
  watch(onRevoked: (id: string) => void): { close(): Promise<void> }
  /** Why a publisher that ingest does not take may not try again, if they may not; `since` is when they began to try. */
  whyOver(publisher: {
    channelId: string
    source: Source
    hash: string
    since: number
  }): Promise<Reason | 'deleted' | undefined>
  /** Gives a publisher's key back. */
  remove(id: string): Promise<void>
  /** Gives back those keys that this worker has on record for others than these. */
  removeOthers(ids: readonly string[]): Promise<void>
  /** Tells who watches by WHEP, by the publisher's id. */
  tellViewers(viewers: ReadonlyMap<string, number>): Promise<void>
  /** The sessions of those who may not watch any more. */
  listGone(viewers: readonly WebViewer[]): Promise<ReadonlySet<string>>
}
