import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { SingleFlight } from '#lib/single-flight.ts'
import type { DatabasePool } from '#sql/db.ts'
import { listen } from '#sql/listen.ts'
import { listAir } from '#sql/rooms/air.ts'
import { listWaiting } from '#sql/rooms/broadcasts.ts'
import * as roomHosts from '#sql/rooms/hosts.ts'
import * as participants from '#sql/rooms/participants.ts'
import * as rows from '#sql/rooms/rooms.ts'
import { endOverdue, leaveLost, leaveRoom } from '#tasks/rooms/rules/presence.ts'
import { type Janus, type JanusOptions, startJanus } from '../janus/janus.ts'
import { admit } from './admit.ts'
import type { ClientSocket } from './client-socket.ts'
import { type Entered, type Gateway, openGateway } from './gateway.ts'
import { Room } from './room.ts'
import type { Attendant } from './stage.ts'

/** How the rooms of a worker are run. */
export interface RoomsOptions {
  db: DatabasePool
  /** Its worker's id in `jobs.workers`. */
  workerId: string
  /** Milliseconds of that one's lease: without the database for so long, its rooms are open to others. */
  leaseMs: number
  secret: string
  host: string
  port: number
  /** Proxies whose `X-Forwarded-For` is believed: addresses or CIDR ranges. */
  trustedProxies: readonly string[]
  /** Where clients reach the gateway, by its port. */
  publicUrl(port: number): string
  janus: Omit<JanusOptions, 'onLost'>
  /** Follows each room that is opened. */
  attend(room: Room): Attendant
}

/** Milliseconds between looks at all rooms, and between those at what dead workers left. */
const [lookMs, sweepMs] = [1_000, 2_000]

/** The rooms of a worker: its gateway, its media server, and its hold on each. */
export class Rooms {
  readonly #options: RoomsOptions
  readonly #rooms = new Map<string, Room>()
  readonly #opening = new SingleFlight<Room | undefined>()
  readonly #ends = new AsyncDisposableStack()
  #janus: Janus | undefined
  #gateway: Gateway | undefined
  #renewedAt = performance.now()
  #closing = false

  private constructor(options: RoomsOptions) {
    this.#options = options
  }

  /** Starts the media server and the gateway, and offers rooms a place. */
  static async start(options: RoomsOptions): Promise<Rooms> {
    const rooms = new Rooms(options)
    await rooms.#start()
    return rooms
  }

  async #start(): Promise<void> {
    const { db, host, port, trustedProxies, janus } = this.#options
    this.#janus = await startJanus({ ...janus, onLost: () => this.#loseMedia() })
    this.#ends.defer(() => this.#janus?.stop())
    const enter = (roomId: string, token: string, socket: ClientSocket) => this.#enter(roomId, token, socket)
    this.#gateway = await openGateway({ host, port, trustedProxies, enter })
    this.#ends.defer(() => this.#gateway?.close())
    const listener = listen(db.configuration.connectionUri, [rows.roomChannel])
    listener.on(rows.roomChannel, (id) => void this.#hear(id).catch(quietly))
    this.#ends.defer(() => listener.close())
    await this.#janus.session()
    await this.#offer()
    const looks = every(lookMs, () => this.#look(), quietly)
    const sweeps = every(sweepMs, () => this.#sweep(), quietly)
    this.#ends.defer(async () => {
      await Promise.all([looks.stop(), sweeps.stop()])
    })
  }

  get workerId(): string {
    return this.#options.workerId
  }

  /** Where clients reach the gateway. */
  get url(): string {
    return this.#options.publicUrl(this.#gateway?.port ?? 0)
  }

  /** Participants by their state. */
  get load(): { rooms: number; participants: number; publishing: number } {
    const members = [...this.#rooms.values()].flatMap((room) => [...room.members.values()])
    const publishing = members.filter(({ state }) => state === 'publishing').length
    return { rooms: this.#rooms.size, participants: members.length, publishing }
  }

  /** The room, opened here if no other worker has it; undefined when it has ended or lives elsewhere. */
  async open(id: string): Promise<Room | undefined> {
    return this.#rooms.get(id) ?? (await this.#opening.share(id, () => this.#open(id)))
  }

  /** Gives every room up, so that another worker may open it at once. */
  async close(): Promise<void> {
    this.#closing = true
    await Promise.all([...this.#rooms.values()].map((room) => room.close('given_up')))
    this.#rooms.clear()
    await this.#options.db.transaction((tx) => roomHosts.withdraw(tx, this.workerId)).catch(quietly)
    await this.#ends.disposeAsync()
  }

  async #open(id: string): Promise<Room | undefined> {
    const { db, attend } = this.#options
    if (this.#closing || !this.#janus) return undefined
    const session = { room_id: id, worker_id: this.workerId, gateway_url: this.url }
    if (!(await roomHosts.claim(db, session))) return undefined
    const facts = await rows.findAny(db, id)
    if (!facts || this.#closing) return undefined
    const room = new Room(facts, { db, janus: this.#janus, attend })
    this.#rooms.set(id, room)
    await this.#lookAt([id]).catch(quietly)
    return this.#rooms.get(id)
  }

  async #enter(roomId: string, token: string, socket: ClientSocket): Promise<Entered | undefined> {
    const { db, secret } = this.#options
    const admission = await admit(db, { roomId, token, secret, workerId: this.workerId }, async () => {
      const room = await this.open(roomId)
      // A client is let in only where it can be heard and seen.
      await room?.media()
      return room
    })
    if ('code' in admission) {
      socket.close(admission.code, admission.reason)
      return undefined
    }
    const { room, row } = admission
    if (this.#rooms.get(roomId) !== room) {
      socket.close('goingAway', 'the room is elsewhere')
      await db.transaction((tx) => leaveRoom(tx, [row.connection_id], 'connection_lost'))
      return undefined
    }
    return { room, member: room.enter(row, socket) }
  }

  #loseMedia(): void {
    if (this.#closing) return
    log.error({ rooms: this.#rooms.size }, 'the media server is gone: everybody is told to come back')
    for (const room of this.#rooms.values()) room.loseMedia()
  }

  async #offer(): Promise<void> {
    const host = { worker_id: this.workerId, gateway_url: this.url, load: this.load.participants }
    await roomHosts.offer(this.#options.db, host)
  }

  /** Tells of all rooms, and does what has to be done about them by now. */
  async #look(): Promise<void> {
    if (this.#closing) return
    const { db } = this.#options
    try {
      await this.#offer()
      const open = [...this.#rooms.keys()]
      const reconciled = await this.#reconcile()
      const held = await roomHosts.renew(db, this.workerId, { open, reconciled })
      this.#renewedAt = performance.now()
      for (const id of open) if (!held.has(id)) await this.#lose(id)
      await this.#lookAt([...held])
    } finally {
      // Without the database for so long, others may have the rooms by now.
      if (performance.now() - this.#renewedAt > this.#options.leaseMs)
        for (const room of this.#rooms.values()) room.empty('goingAway', 'connection_lost')
    }
  }

  /** Compares all rooms with the media server; those of which it was said who is in. */
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

  /** Something of a room has changed; it may be one on the air that nobody has yet. */
  async #hear(id: string): Promise<void> {
    if (this.#rooms.has(id)) await this.#lookAt([id])
    else await this.#openWaiting()
  }

  /** Opens rooms that are on the air though nobody is in them. */
  async #openWaiting(): Promise<void> {
    if (this.#closing) return
    for (const id of await listWaiting(this.#options.db, this.workerId)) await this.open(id)
  }

  /** Ends rooms that have ended, and does what the API wants of those who are in the others. */
  async #lookAt(ids: readonly string[]): Promise<void> {
    const { db } = this.#options
    const looked = ids.flatMap((id) => this.#rooms.get(id) ?? [])
    if (looked.length === 0) return
    const asked = new Map(looked.map((room) => [room.id, [...room.members.values()]]))
    const known = looked.map(({ id }) => id)
    const [ended, wishes, air] = await Promise.all([
      rows.listEnded(db, known),
      participants.listWishes(db, this.workerId, known),
      listAir(db, known),
    ])
    await Promise.all(
      looked.map(async (room) => {
        if (ended.has(room.id)) return await this.#end(room)
        const { broadcast = false, recording = false } = air.get(room.id) ?? {}
        room.setAir({ broadcast, recording })
        const own = wishes.filter(({ room_id }) => room_id === room.id)
        await room.meet(own, asked.get(room.id) ?? [])
        await room.saveLeft()
        await room.attend()
      }),
    )
  }

  async #end(room: Room): Promise<void> {
    this.#rooms.delete(room.id)
    await room.close('ended')
    await roomHosts.release(this.#options.db, room.id, this.workerId)
  }

  /** The room is no longer this worker's. */
  async #lose(id: string): Promise<void> {
    const room = this.#rooms.get(id)
    if (!room) return
    this.#rooms.delete(id)
    const ended = await rows.listEnded(this.#options.db, [id])
    if (!ended.has(id)) log.warn({ room: id }, 'this room is no longer this worker’s')
    await room.close(ended.has(id) ? 'ended' : 'given_up')
  }

  async #sweep(): Promise<void> {
    const { db } = this.#options
    await db.transaction((tx) => leaveLost(tx))
    await db.transaction((tx) => endOverdue(tx))
    await roomHosts.forgetLapsed(db)
    await this.#openWaiting()
    await roomHosts.releaseOthers(db, [...this.#rooms.keys()], this.workerId)
  }
}

const quietly = (error: Error) => log.warn({ err: error }, 'rooms could not be looked after')
