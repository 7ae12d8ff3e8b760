import type { Readable } from 'node:stream'
import { log } from '#lib/log.ts'
import { Tags } from '../../live/restream/tags.ts'
import { TargetSet } from '../../live/restream/target-set.ts'
import type { Room } from '../gateway/room.ts'
import type { AirTools } from './broadcasting.ts'
import { Composite } from './composite.ts'

const againMs = 2_000

interface Sent {
  tags: Tags
  targets: TargetSet
}

export class RoomRestreams {
  readonly #room: Room
  readonly #tools: AirTools
  #sent: Sent | undefined
  #composite: Composite | undefined
  #againAt = 0

  constructor(room: Room, tools: AirTools) {
    this.#room = room
    this.#tools = tools
  }

  async look(): Promise<void> {
    // Most rooms have no targets. The worker reads this for all rooms in one query.
    if (!this.#room.air.restreamed && !this.#sent) return
    const wanted = await this.#tools.restreams.targets.list(this.#room.id)
    if (wanted.length === 0) return await this.stop()
    this.#sent ??= this.#begin()
    const { tags, targets } = this.#sent
    targets.keep(wanted)
    await targets.tell()
    if (this.#composite) await this.#composite.follow()
    else if (Date.now() >= this.#againAt) await this.#start(tags)
  }

  async stop(): Promise<void> {
    const [sent, composite] = [this.#sent, this.#composite]
    this.#sent = undefined
    this.#composite = undefined
    this.#againAt = 0
    sent?.targets.close()
    await composite?.stop()
  }

  #begin(): Sent {
    const tags: Tags = new Tags((tag) => targets.push(tag))
    const targets = new TargetSet(this.#tools.restreams, () => tags)
    return { tags, targets }
  }

  async #start(tags: Tags): Promise<void> {
    this.#againAt = Date.now() + againMs
    const take = (media: Readable) => {
      tags.take(media).catch((error) => {
        log.error({ err: error, room: this.#room.id }, 'the video of a room could not be sent to its targets')
      })
    }
    try {
      const output = { take, format: 'flv' } as const
      const composite = await Composite.start(this.#room, { ...this.#tools.shape, output })
      this.#composite = composite
      void composite.ended.then(({ reason, message }) => {
        if (this.#composite !== composite || reason === 'stopped') return
        this.#composite = undefined
        log.warn({ room: this.#room.id, why: message }, 'the broadcast to the targets of a room was interrupted')
      })
      await composite.follow()
    } catch (error) {
      log.error({ err: error, room: this.#room.id }, 'no compositor could be started')
    }
  }
}
