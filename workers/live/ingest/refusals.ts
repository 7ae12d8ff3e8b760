import { log } from '#lib/log.ts'
import type { Channel } from '#sql/live/channels.ts'
import type { Reason } from '#sql/live/refusals.ts'
import type { Admissions, Source } from '#tasks/live/engine.ts'
import { findDropReason, getUnpackagedReason } from '#tasks/live/rules/publishers.ts'
import type { Nginx } from './nginx.ts'
import type { OnAir, Publisher } from './on-air.ts'

export const getStreamName = (channelId: string, source: Source): string => `${channelId}-${source}`

export class Refusals {
  readonly #admissions: Admissions
  readonly #nginx: () => Nginx | undefined

  constructor(admissions: Admissions, nginx: () => Nginx | undefined) {
    this.#admissions = admissions
    this.#nginx = nginx
  }

  async refuse(channel: Channel, source: Source, reason: Reason): Promise<null> {
    log.info({ channel: channel.id, source, reason }, 'a publisher was rejected')
    await this.note(channel, source, reason)
    return null
  }

  async note({ id }: Channel, source: Source, reason: Reason): Promise<void> {
    await this.#admissions
      .refuse(id, source, reason)
      .catch((error: Error) => log.warn({ err: error }, 'the reason for a rejection could not be stored'))
  }

  /**
   * Returns the publishers that must be dropped, after recording the reasons. Also records publishers that send
   * unusable data.
   */
  async look(air: OnAir, channel: Channel): Promise<Source[]> {
    const dropped: Source[] = []
    for (const [source, publisher] of air.publishers) {
      const reason = await this.#whyDropped(air, channel, source, publisher)
      if (reason) {
        await this.note(channel, source, reason)
        dropped.push(source)
      } else if (!publisher.isReported && air.isUnpackaged(source)) {
        publisher.isReported = true
        await this.#noteUnpackaged(channel, source)
      }
    }
    return dropped
  }

  #whyDropped(air: OnAir, channel: Channel, source: Source, publisher: Publisher): Promise<Reason | undefined> {
    const stream = getStreamName(channel.id, source)
    const state = {
      source,
      hash: publisher.hash,
      isSilent: air.isSilent(source),
      isMute: air.isMute(source),
      hasSpare: air.publishers.size > 1,
    }
    return findDropReason(channel, state, {
      arrives: async () => (await this.#nginx()?.arrives(stream)) ?? false,
      hasData: async () => {
        publisher.heard = await this.#nginx()?.hasData(stream)
        return publisher.heard ?? false
      },
    })
  }

  async #noteUnpackaged(channel: Channel, source: Source): Promise<void> {
    const tracks = await this.#nginx()?.tracks(getStreamName(channel.id, source))
    if (tracks) await this.note(channel, source, getUnpackagedReason(tracks))
  }
}
