import { log } from '#lib/log.ts'
import type { Participant } from '#sql/rooms/participants.ts'
import type { RoomModeration, RoomPresence, RoomState, WaitingEntry } from '#tasks/rooms/engine.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Visit } from './gateway.ts'
import type { Member } from './member.ts'
import type { ClientMessage, CloseCode, MessageOf, ServerMessage, WaitingMessage } from './messages.ts'
import { RefusalError } from './refusal.ts'

interface GuardedRoom {
  id: string
  name: string
  members: ReadonlyMap<string, Member>
  enter(row: Participant, socket: ClientSocket): Member
  visit(member: Member): Visit
}

/** A person in the waiting room. `visit` is set after they have joined. */
interface Held extends WaitingEntry {
  socket: ClientSocket
  visit?: Visit
}

export class WaitingRoom {
  readonly #room: GuardedRoom
  readonly #presence: RoomPresence
  readonly #moderation: RoomModeration
  readonly #held = new Map<string, Held>()

  constructor(room: GuardedRoom, tools: { presence: RoomPresence; moderation: RoomModeration }) {
    this.#room = room
    this.#presence = tools.presence
    this.#moderation = tools.moderation
  }

  tell({ can, socket }: Member): void {
    if (can.moderate && this.#held.size > 0) socket.send({ type: 'waiting', waiting: this.#list })
  }

  get #list(): readonly WaitingMessage[] {
    return [...this.#held.values()].map(({ waiting }) => ({
      waitingId: waiting.waiting_id,
      identity: waiting.identity,
      displayName: waiting.display_name,
      role: waiting.role,
      since: waiting.since.toISOString(),
    }))
  }

  hold(entry: WaitingEntry, socket: ClientSocket): Visit {
    const { waiting_id: id } = entry.waiting
    this.#held.get(id)?.socket.close('replaced', 'replaced')
    const held: Held = { ...entry, socket }
    this.#held.set(id, held)
    socket.send({ type: 'wait', room: { roomId: this.#room.id, name: this.#room.name } })
    this.#tellHosts()
    return {
      hear: async (message) => await this.#hear(held, message),
      gone: () => {
        if (held.visit) held.visit.gone()
        else this.#forget(held)
      },
    }
  }

  /** Admits or rejects people for whom a decision exists. If the room has no waiting room, admits all. */
  async meet(states: RoomState['waiting'], isGuarded: boolean): Promise<void> {
    for (const held of [...this.#held.values()]) {
      const { state } = states.find(({ connection_id }) => connection_id === held.waiting.connection_id) ?? {}
      if (state === 'refused') this.#turnAway(held)
      else if (state === 'admitted' || (state === 'waiting' && !isGuarded)) await this.#letIn(held)
    }
  }

  /** Applies the decision of a host. The decision is stored first. */
  async decide(host: Member, { type, id, waitingId }: MessageOf<'admit'> | MessageOf<'refuse'>): Promise<void> {
    if (!host.can.moderate) throw new RefusalError('forbidden', 'Only a host can do this.')
    const held = this.#held.get(waitingId)
    const decision = type === 'admit' ? 'admitted' : 'refused'
    if (!held || !(await this.#moderation.decide(held.waiting, decision)))
      throw new RefusalError('not_found', 'waitingId: no one is waiting with this ID.')
    if (type === 'admit') await this.#letIn(held)
    else this.#turnAway(held)
    host.socket.send({ type: 'done', id })
  }

  empty(code: CloseCode, reason: string): void {
    for (const held of [...this.#held.values()]) {
      held.socket.close(code, reason)
      this.#forget(held)
    }
  }

  async #hear(held: Held, message: ClientMessage): Promise<void> {
    if (held.visit) return await held.visit.hear(message)
    if (message.type === 'leave') {
      held.socket.end()
      return this.#forget(held)
    }
    const id = 'id' in message ? message.id : undefined
    // A client sends this message to check that the gateway is responding.
    if (message.type === 'state' && message.tracks.length === 0)
      return held.socket.send({ type: 'done', id: message.id })
    held.socket.send({ type: 'error', id, code: 'forbidden', message: 'You must wait until a host admits you.' })
  }

  async #letIn(held: Held): Promise<void> {
    const { waiting, claims, socket } = held
    if (this.#held.get(waiting.waiting_id) !== held) return
    this.#held.delete(waiting.waiting_id)
    try {
      const entered = await this.#presence.letIn(claims)
      if ('code' in entered) socket.close(entered.code, entered.reason)
      else if (socket.ended) await this.#presence.leave(entered.connection_id, 'connection_lost')
      else held.visit = this.#room.visit(this.#room.enter(entered, socket))
    } catch (error) {
      // The decision is stored. The next check admits them.
      if (!socket.ended) this.#held.set(waiting.waiting_id, held)
      throw error
    } finally {
      this.#tellHosts()
    }
    await this.#endWait(held)
  }

  #turnAway(held: Held): void {
    held.socket.close('refused', 'a host has not admitted you')
    this.#forget(held)
  }

  #forget(held: Held): void {
    const { waiting_id: id } = held.waiting
    if (this.#held.get(id) !== held) return
    this.#held.delete(id)
    this.#tellHosts()
    void this.#endWait(held)
  }

  async #endWait({ waiting }: Held): Promise<void> {
    await this.#presence
      .endWait(waiting.connection_id)
      .catch((error) => log.warn({ err: error, room: this.#room.id }, 'the end of a wait could not be stored'))
  }

  #tellHosts(): void {
    const told: ServerMessage = { type: 'waiting', waiting: this.#list }
    for (const { can, socket } of this.#room.members.values()) if (can.moderate) socket.send(told)
  }
}
