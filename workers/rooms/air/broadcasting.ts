import { log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import { hashSecret } from '#lib/tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import * as broadcasts from '#sql/rooms/broadcasts.ts'
import type { Room } from '../gateway/room.ts'
import { Composite, type CompositeOptions } from './composite.ts'

/** What the air of rooms needs of its worker. */
export interface AirTools {
  db: DatabasePool
  seal: Seal
  /** Where ingest takes RTMP; the stream key follows. */
  rtmp: string
  shape: Omit<CompositeOptions, 'output' | 'onRunning'>
}

/** Milliseconds before an ingest that refused or was lost is tried again, and for which it may refuse what was never live. */
const [againMs, patienceMs] = [1_000, 60_000]

/** A broadcast that is over, with a sentence when it failed. */
interface End {
  reason: broadcasts.EndReason
  message?: string
}

/** A room's broadcast: it is published for as long as its row is open. */
export class Broadcasting {
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

  /** Does what has to be done about it by now. */
  async look(): Promise<void> {
    // Most rooms have none, which their worker reads for all of them at once.
    if (!this.#room.air.broadcast && this.#id === undefined) return
    const broadcast = await broadcasts.findOpen(this.#tools.db, this.#room.id)
    if (broadcast?.id !== this.#id) await this.stop()
    if (!broadcast) return
    if (this.#id === undefined) {
      this.#id = broadcast.id
      this.#since = Date.now()
    }
    const end = await this.#endOf(broadcast)
    if (end) return await this.#end(broadcast, end)
    if (!this.#composite) return await this.#start(broadcast)
    await this.#composite.follow()
    if (broadcast.state !== 'starting') return
    const shown = await liveSessions.findShown(this.#tools.db, [broadcast.channel_id])
    if (shown.get(broadcast.channel_id)?.state === 'live') await broadcasts.setLive(this.#tools.db, broadcast.id)
  }

  /** Publishes no more; the row stays as it is, for another worker. */
  async stop(): Promise<void> {
    const composite = this.#composite
    this.#id = undefined
    this.#composite = undefined
    this.#againAt = 0
    this.#failure = ''
    await composite?.stop()
  }

  /** The room has ended. */
  async close(): Promise<void> {
    const broadcast = await broadcasts.findOpen(this.#tools.db, this.#room.id)
    if (broadcast) await this.#end(broadcast, { reason: 'room_ended' })
    else await this.stop()
  }

  async #end(broadcast: broadcasts.Broadcast, { reason, message }: End): Promise<void> {
    await this.stop()
    await broadcasts.setEnded(this.#tools.db, broadcast.id, reason, message)
  }

  /** Why it is over, if it is. */
  async #endOf(broadcast: broadcasts.Broadcast): Promise<End | undefined> {
    if (broadcast.stop_requested) return { reason: 'stopped' }
    // While it is published, ingest looks after the channel and its keys.
    if (this.#composite) return undefined
    const channel = await channels.findAny(this.#tools.db, broadcast.channel_id)
    if (!channel) return { reason: 'channel_deleted', message: 'The live channel was deleted.' }
    if (channel.closed_until && channel.closed_until.getTime() > Date.now()) return { reason: 'channel_ended' }
    const key = this.#keyOf(broadcast)
    if (!key || ![channel.primary_hash, channel.backup_hash].includes(hashSecret(key)))
      return { reason: 'key_changed', message: 'The stream key opens the channel no longer.' }
    if (!this.#failure || broadcast.state === 'live' || Date.now() - this.#since < patienceMs) return undefined
    return { reason: 'refused', message: `Live ingest did not take it: ${this.#failure}` }
  }

  #keyOf({ id, stream_key }: broadcasts.Broadcast): string | null {
    return this.#tools.seal.open(stream_key, id)
  }

  async #start(broadcast: broadcasts.Broadcast): Promise<void> {
    const key = this.#keyOf(broadcast)
    if (!key || Date.now() < this.#againAt) return
    this.#againAt = Date.now() + againMs
    const { rtmp, shape } = this.#tools
    try {
      const composite = await Composite.start(this.#room, { ...shape, output: { rtmp: `${rtmp}/${key}` } })
      this.#composite = composite
      void composite.ended.then(({ reason, message = '' }) => {
        if (this.#composite !== composite || reason === 'stopped') return
        this.#composite = undefined
        // What GStreamer says may hold the address, and with it the key.
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
