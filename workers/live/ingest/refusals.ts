import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Channel } from '#sql/live/channels.ts'
import * as refusals from '#sql/live/refusals.ts'
import type { Source } from './admission.ts'
import type { Nginx } from './nginx.ts'
import type { OnAir } from './on-air.ts'

/** The name of a source's stream in nginx. */
export const streamOf = (channelId: string, source: Source): string => `${channelId}-${source}`

/** Why publishers are not broadcast, which their channels tell. */
export class Refusals {
  readonly #db: DatabasePool
  readonly #nginx: () => Nginx | undefined

  constructor(db: DatabasePool, nginx: () => Nginx | undefined) {
    this.#db = db
    this.#nginx = nginx
  }

  /** The answer to a publisher that is not let in. */
  async refuse(channel: Channel, source: Source, reason: refusals.Reason): Promise<null> {
    log.info({ channel: channel.id, source, reason }, 'a publisher is refused')
    await this.note(channel, source, reason)
    return null
  }

  /** Has the channel tell why a publisher is not broadcast. */
  async note({ id }: Channel, source: Source, reason: refusals.Reason): Promise<void> {
    await refusals
      .note(this.#db, { channel_id: id, source, reason })
      .catch((error: Error) => log.warn({ err: error }, 'why a publisher is refused could not be written'))
  }

  /** Those of a channel's publishers that may not stay, after their reasons were noted; tells of those that send nothing usable, too. */
  async look(air: OnAir, channel: Channel): Promise<Source[]> {
    const dropped: Source[] = []
    for (const [source, publisher] of air.publishers) {
      const reason = await this.#whyDropped(air, channel, source)
      if (reason) {
        await this.note(channel, source, reason)
        dropped.push(source)
      } else if (!publisher.told && air.isUnpackaged(source)) {
        publisher.told = true
        await this.#tellOdd(channel, source)
      }
    }
    return dropped
  }

  async #whyDropped(air: OnAir, channel: Channel, source: Source): Promise<refusals.Reason | undefined> {
    const hashes = { primary: channel.primary_hash, backup: channel.backup_hash, srt: channel.srt_passphrase }
    const publisher = air.publishers.get(source)
    if (publisher?.hash !== hashes[source]) return 'key_rotated'
    const stream = streamOf(channel.id, source)
    const isSpare = air.publishers.size > 1 && source === air.current && air.isSilent(source)
    if (isSpare && !(await this.#nginx()?.arrives(stream))) return 'silent'
    if (!air.isMute(source)) return undefined
    publisher.heard = await this.#nginx()?.hasData(stream)
    return publisher.heard ? undefined : 'silent'
  }

  /** Tells of a publisher that sends something of which no part can be made. */
  async #tellOdd(channel: Channel, source: Source): Promise<void> {
    const tracks = await this.#nginx()?.tracks(streamOf(channel.id, source))
    if (tracks) await this.note(channel, source, tracks.includes('video') ? 'no_key_frame' : 'unsupported_codecs')
  }
}
