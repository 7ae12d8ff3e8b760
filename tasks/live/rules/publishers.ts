import type { Channel } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import type { ChannelKey, Source } from '../engine.ts'

/** The best first. */
const precedence: readonly Source[] = ['primary', 'srt', 'backup']

/** Whether a publisher from a source is broadcast rather than the current one. */
export const outranks = (source: Source, current: Source | undefined): boolean =>
  current === undefined || precedence.indexOf(source) < precedence.indexOf(current)

/** The best of those who publish. */
export const bestOf = (sources: { has(source: Source): boolean }): Source | undefined =>
  precedence.find((source) => sources.has(source))

/**
 * Why a publisher may not come, if they may not. One with the same key is replaced only once nothing comes of it: the connection of
 * an encoder that was cut off looks open for a while.
 */
export function whyRefused(key: ChannelKey, occupant?: { isSilent: boolean }): Reason | undefined {
  if (key.isFormer) return 'key_rotated'
  return occupant && !occupant.isSilent ? 'key_in_use' : undefined
}

/** A publisher as ingest sees them. */
export interface PublisherState {
  source: Source
  /** Of the credential with which they came. */
  hash: string
  /** They are broadcast, and nothing has come of them for a while. */
  isSilent: boolean
  /** They have had time to send something, and nothing could be made of it. */
  isMute: boolean
  /** Others of the channel wait. */
  hasSpare: boolean
}

/** What ingest can find out about a publisher's connection. */
export interface ConnectionProbe {
  /** Whether anything came since this was asked last. */
  arrives(): Promise<boolean>
  /** Whether anything came at all. */
  hasData(): Promise<boolean>
}

/** Why a publisher may not stay, if they may not: their key is over, or they are silent and another waits, or send nothing at all. */
export async function whyDropped(
  channel: Channel,
  publisher: PublisherState,
  connection: ConnectionProbe,
): Promise<Reason | undefined> {
  if (publisher.hash !== hashOf(channel, publisher.source)) return 'key_rotated'
  if (publisher.hasSpare && publisher.isSilent && !(await connection.arrives())) return 'silent'
  if (!publisher.isMute || (await connection.hasData())) return undefined
  return 'silent'
}

/** Why no part can be made of what comes, by the tracks that do. */
export const whyUnpackaged = (tracks: readonly string[]): Reason =>
  tracks.includes('video') ? 'no_key_frame' : 'unsupported_codecs'

const hashOf = (channel: Channel, source: Source): string =>
  ({ primary: channel.primary_hash, backup: channel.backup_hash, srt: channel.srt_passphrase })[source]
