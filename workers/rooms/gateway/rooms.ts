import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import type { RoomHosting, RoomModeration, RoomPresence } from '#tasks/rooms/engine.ts'
import { type Janus, type JanusOptions, startJanus } from '../janus/janus.ts'
import { Web, type WebOptions } from '../web/index.ts'
import { answerIngress } from '../web/requests.ts'
import type { ClientSocket } from './client-socket.ts'
import { type Gateway, openGateway, type Visit } from './gateway.ts'
import { Room } from './room.ts'
import type { Attendant } from './stage.ts'

export interface RoomsOptions {
  hosting: RoomHosting
  presence: RoomPresence
  moderation: RoomModeration
  /**
   * Lease of the worker in milliseconds. If the worker has no database for this time, other workers can open its rooms.
   */
  leaseMs: number
  host: string
  port: number
  trustedProxies: readonly string[]
  publicUrl(port: number): string
  janus: Omit<JanusOptions, 'onLost'>
  attend(room: Room): Attendant
  web?: { options: WebOptions; secret: string }
}

/** Intervals in milliseconds between checks of all rooms, and between checks for rooms of dead workers. */
const [lookMs, sweepMs] = [1_000, 2_000]

export class Rooms {
  readonly #options: RoomsOptions
  readonly #rooms = new Map<string, Room>()
  readonly #opening = new SingleFlight<Room | undefined>()
  readonly #ends = new AsyncDisposableStack()
  #janus: Janus | undefined
  #web: Web | undefined
  #gateway: Gateway | undefined
  #renewedAt = performance.now()
  #closing = false

  private constructor(options: RoomsOptions) {
    this.#options = options
  }

  static async start(options: RoomsOptions): Promise<Rooms> {
    const rooms = new Rooms(options)
    try {
      await rooms.#start()
    } catch (error) {
      await rooms.close()
      throw error
    }
    return rooms
  }

  async #start(): Promise<void> {
    const { hosting, host, port, trustedProxies, janus, web } = this.#options
    this.#janus = await startJanus({ ...janus, onLost: () => this.#loseMedia() })
    this.#ends.defer(() => this.#janus?.stop())
    if (web) this.#web = new Web(this.#janus, web.options)
    this.#ends.defer(() => this.#web?.close())
    const answer = answerIngress(() => this.#web, web?.secret ?? '')
    const enter = (roomId: string, token: string, socket: ClientSocket) => this.#enter(roomId, token, socket)
    this.#gateway = await openGateway({ host, port, trustedProxies, enter, answer })
    this.#ends.defer(() => this.#gateway?.close())
    const watch = hosting.watch((id) => void this.#hear(id).catch(quietly))
    this.#ends.defer(() => watch.close())
    await this.#janus.session()
    await this.#offer()
    const looks = runEvery(lookMs, () => this.#look(), quietly)
    const sweeps = runEvery(sweepMs, () => this.#sweep(), quietly)
    this.#ends.defer(async () => {
      await Promise.all([looks.stop(), sweeps.stop()])
    })
  }

  get url(): string {
    return this.#options.publicUrl(this.#gateway?.port ?? 0)
  }

  get load(): { rooms: number; participants: number; publishing: number; web: Web['load'] } {
    const members = [...this.#rooms.values()].flatMap((room) => [...room.members.values()])
    const publishing = members.filter(({ state }) => state === 'publishing').length
    return {
      rooms: this.#rooms.size,
      participants: members.length,
      publishing,
      web: this.#web?.load ?? { publishers: 0, viewers: 0 },
    }
  }

  /**
   * Returns a room. Opens the room in this process if no other worker has it. Returns undefined if the room has ended
   * or another worker has it.
   */
  async open(id: string): Promise<Room | undefined> {
    return this.#rooms.get(id) ?? (await this.#opening.share(id, () => this.#open(id)))
  }

  /** Releases every room, so that another worker can open it immediately. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#rooms.values()].map((room) => room.close('given_up')))
    this.#rooms.clear()
    await this.#options.hosting.withdraw().catch(quietly)
    await this.#ends.disposeAsync()
  }

  async #open(id: string): Promise<Room | undefined> {
    const { hosting, presence, moderation, attend } = this.#options
    if (this.#closing || !this.#janus) return undefined
    const facts = await hosting.claim(id, this.url)
    if (!facts || this.#closing) return undefined
    const room = new Room(facts, { presence, moderation, janus: this.#janus, attend })
    this.#rooms.set(id, room)
    await this.#lookAt([id]).catch(quietly)
    return this.#rooms.get(id)
  }

  async #enter(roomId: string, token: string, socket: ClientSocket): Promise<Visit | undefined> {
    const { presence } = this.#options
    const admission = await presence.admit(roomId, token, async () => {
      const room = await this.open(roomId)
      // A client can join only if the media server is available.
      await room?.media()
      return room
    })
    if ('code' in admission) {
      socket.close(admission.code, admission.reason)
      return undefined
    }
    const { opened: room } = admission
    if (this.#rooms.get(roomId) !== room) {
      socket.close('goingAway', 'the room is on another worker')
      if ('waiting' in admission) await presence.endWait(admission.waiting.connection_id)
      else await presence.leave(admission.participant.connection_id, 'connection_lost')
      return undefined
    }
    if ('waiting' in admission) return room.door.hold(admission, socket)
    return room.visit(room.enter(admission.participant, socket))
  }

  #loseMedia(): void {
    if (this.#closing) return
    log.error({ rooms: this.#rooms.size }, 'the media server is unavailable; all clients must reconnect')
    for (const room of this.#rooms.values()) room.loseMedia()
    this.#web?.loseMedia()
  }

  async #offer(): Promise<void> {
    const { participants, web } = this.load
    await this.#options.hosting.offer(this.url, participants + web.publishers + web.viewers)
  }

  async #look(): Promise<void> {
    if (this.#closing) return
    try {
      await this.#offer()
      const open = [...this.#rooms.keys()]
      const reconciled = await this.#reconcile()
      const held = await this.#options.hosting.renew({ open, reconciled })
      this.#renewedAt = performance.now()
      for (const id of open) if (!held.has(id)) await this.#lose(id)
      await this.#lookAt([...held])
    } finally {
      // If the database was unavailable for this time, other workers can have opened the rooms.
      if (performance.now() - this.#renewedAt > this.#options.leaseMs)
        for (const room of this.#rooms.values()) room.empty('goingAway', 'connection_lost')
    }
  }

  async #reconcile(): Promise<string[]> {
    const compared = await Promise.all(
      [...this.#rooms.values()].map(async (room) => {
        try {
          await room.reconcile()
          return [room.id]
        } catch (error) {
          log.warn({ err: error, room: room.id }, 'a room could not be compared with the media server')
          return []
        }
      }),
    )
    return compared.flat()
  }

  /**
   * Handles a notification of a changed room. The room can also be one with a broadcast that no worker has opened yet.
   */
  async #hear(id: string): Promise<void> {
    if (this.#rooms.has(id)) await this.#lookAt([id])
    else await this.#openWaiting()
  }

  async #openWaiting(): Promise<void> {
    if (this.#closing) return
    for (const id of await this.#options.hosting.listWaiting()) await this.open(id)
  }

  async #lookAt(ids: readonly string[]): Promise<void> {
    const looked = ids.flatMap((id) => this.#rooms.get(id) ?? [])
    if (looked.length === 0) return
    const asked = new Map(looked.map((room) => [room.id, [...room.members.values()]]))
    const states = await this.#options.hosting.read(looked.map(({ id }) => id))
    await Promise.all(
      looked.map(async (room) => {
        const state = states.get(room.id)
        if (!state) return
        if (state.hasEnded) return await this.#end(room)
        room.setAir(state.air)
        room.set(state.settings)
        await room.door.meet(state.waiting, state.settings.waiting_room)
        await room.meet(state.wishes, asked.get(room.id) ?? [])
        await room.departures.save()
        await room.attend()
      }),
    )
  }

  async #end(room: Room): Promise<void> {
    this.#rooms.delete(room.id)
    await room.close('ended')
    await this.#options.hosting.release(room.id)
  }

  async #lose(id: string): Promise<void> {
    const room = this.#rooms.get(id)
    if (!room) return
    this.#rooms.delete(id)
    const hasEnded = await this.#options.hosting.hasEnded(id)
    if (!hasEnded) log.warn({ room: id }, 'this room now belongs to another worker')
    await room.close(hasEnded ? 'ended' : 'given_up')
  }

  async #sweep(): Promise<void> {
    const { hosting } = this.#options
    await hosting.sweep()
    await this.#openWaiting()
    await hosting.releaseOthers([...this.#rooms.keys()])
  }
}

const quietly = (error: Error) => log.warn({ err: error }, 'rooms could not be checked')
