import type { Channel } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import type { ChannelKey, Source } from '../engine.ts'

const precedence: readonly Source[] = ['primary', 'srt', 'backup']

export const outranks = (source: Source, current: Source | undefined): boolean =>
  current === undefined || precedence.indexOf(source) < precedence.indexOf(current)

export const selectBestSource = (sources: { has(source: Source): boolean }): Source | undefined =>
  precedence.find((source) => sources.has(source))

/**
 * Returns the reason why a publisher is refused. Undefined if it is accepted. A publisher with the same key replaces
 * the current publisher only if the current one sends nothing, because the connection of a disconnected encoder stays
 * open for a while.
 */
export function findRefusalReason(key: ChannelKey, occupant?: { isSilent: boolean }): Reason | undefined {
  if (key.isFormer) return 'key_rotated'
  return occupant && !occupant.isSilent ? 'key_in_use' : undefined
}

export interface PublisherState {
  source: Source
  hash: string
  /** True if the publisher is broadcast but has sent nothing for a while. */
  isSilent: boolean
  /** True if the publisher had time to send data, but no data could be packaged. */
  isMute: boolean
  /** True if other publishers of the channel wait. */
  hasSpare: boolean
}

export interface ConnectionProbe {
  /** True if data arrived since the last call. */
  arrives(): Promise<boolean>
  hasData(): Promise<boolean>
}

/**
 * Returns the reason why a publisher is dropped: its key is no longer valid, it is silent while another publisher
 * waits, or it sends no data. Undefined if it is not dropped.
 */
export async function findDropReason(
  channel: Channel,
  publisher: PublisherState,
  connection: ConnectionProbe,
): Promise<Reason | undefined> {
  if (publisher.hash !== hashOf(channel, publisher.source)) return 'key_rotated'
  if (publisher.hasSpare && publisher.isSilent && !(await connection.arrives())) return 'silent'
  if (!publisher.isMute || (await connection.hasData())) return undefined
  return 'silent'
}

export const getUnpackagedReason = (tracks: readonly string[]): Reason =>
  tracks.includes('video') ? 'no_key_frame' : 'unsupported_codecs'

const hashOf = (channel: Channel, source: Source): string =>
  ({ primary: channel.primary_hash, backup: channel.backup_hash, srt: channel.srt_passphrase })[source]
