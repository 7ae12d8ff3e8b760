import { log } from '#lib/log.ts'
import type { Broadcast } from '#sql/rooms/broadcasts.ts'
import type { RoomBroadcasts } from '#tasks/rooms/engine.ts'
import type { TargetSetTools } from '../../live/restream/target-set.ts'
import type { Room } from '../gateway/room.ts'
import { Composite, type CompositeOptions } from './composite.ts'

export interface AirTools {
  broadcasts: RoomBroadcasts
  restreams: TargetSetTools
  /** RTMP URL of ingest. The stream key is appended. */
  rtmp: string
  shape: Omit<CompositeOptions, 'output' | 'onRunning'>
}

const againMs = 1_000

/** The broadcast of a room. The room is published while the broadcast's row is open. */
export class RoomBroadcast {
  readonly #room: Room
  readonly #tools: AirTools
  #id: string | undefined
  #composite: Composite | undefined
  #since = 0
  #againAt = 0
  #failure = ''

  constructor(room: Room, tools: AirTools) {
    this.#room = room
    this.#tools = tools
  }

  async look(): Promise<void> {
    // Most rooms have no broadcast. The worker reads this for all rooms in one query.
    if (!this.#room.air.broadcast && this.#id === undefined) return
    const { broadcasts } = this.#tools
    const broadcast = await broadcasts.findOpen(this.#room.id)
    if (broadcast?.id !== this.#id) await this.stop()
    if (!broadcast) return
    if (this.#id === undefined) {
      this.#id = broadcast.id
      this.#since = Date.now()
    }
    const attempt = { since: this.#since, isPublished: this.#composite !== undefined, failure: this.#failure }
    const end = await broadcasts.whyOver(broadcast, attempt)
    if (end) {
      await this.stop()
      return await broadcasts.end(broadcast, end)
    }
    if (!this.#composite) return await this.#start(broadcast)
    await this.#composite.follow()
    await broadcasts.follow(broadcast)
  }

  async stop(): Promise<void> {
    const composite = this.#composite
    this.#id = undefined
    this.#composite = undefined
    this.#againAt = 0
    this.#failure = ''
    await composite?.stop()
  }

  async close(): Promise<void> {
    const { broadcasts } = this.#tools
    const broadcast = await broadcasts.findOpen(this.#room.id)
    await this.stop()
    if (broadcast) await broadcasts.end(broadcast, { reason: 'room_ended' })
  }

  async #start(broadcast: Broadcast): Promise<void> {
    const key = this.#tools.broadcasts.keyOf(broadcast)
    if (!key || Date.now() < this.#againAt) return
    this.#againAt = Date.now() + againMs
    const { rtmp, shape } = this.#tools
    try {
      const composite = await Composite.start(this.#room, { ...shape, output: { rtmp: `${rtmp}/${key}` } })
      this.#composite = composite
      void composite.ended.then(({ reason, message = '' }) => {
        if (this.#composite !== composite || reason === 'stopped') return
        this.#composite = undefined
        // GStreamer's messages can contain the URL, which includes the key.
        this.#failure = message.replaceAll(key, '…')
        log.warn({ room: this.#room.id, why: this.#failure }, 'the broadcast of a room was interrupted')
      })
      await composite.follow()
    } catch (error) {
      this.#failure = (error as Error).message.replaceAll(key, '…')
      log.error({ room: this.#room.id, why: this.#failure }, 'no compositor could be started')
    }
  }
}
