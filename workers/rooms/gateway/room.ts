import type { z } from 'zod'
import { KeyedMutex } from '#lib/keyed-mutex.ts'
import { log } from '#lib/log.ts'
import type { LeftReason, Participant } from '#sql/rooms/participants.ts'
import type * as rooms from '#sql/rooms/rooms.ts'
import type { RequestedChange, RoomAir, RoomModeration, RoomPresence } from '#tasks/rooms/engine.ts'
import { iceServers } from '#tasks/rooms/rules/ice-servers.ts'
import { resolveRequests } from '#tasks/rooms/rules/wishes.ts'
import type { Janus } from '../janus/janus.ts'
import { VideoRoom } from '../janus/video-room.ts'
import type { ClientSocket } from './client-socket.ts'
import { Departures } from './departures.ts'
import { createFailureMessage } from './failure.ts'
import type { Visit } from './gateway.ts'
import { Member, type MemberRoom } from './member.ts'
import type { ClientMessage, CloseCode, ServerMessage, SettingsMessage } from './messages.ts'
import { isModeration, moderate } from './moderate.ts'
import { forwardMedia, getStage } from './on-stage.ts'
import { Reconciler } from './reconcile.ts'
import type { Attendant, ForwardPorts, OnStage } from './stage.ts'
import type { StreamView } from './subscriber.ts'
import { Chat } from './talk.ts'
import { Updates } from './updates.ts'
import { WaitingRoom } from './waiting-room.ts'

type Reason = z.infer<typeof LeftReason>

const outCodes = { kicked: 'kicked', replaced: 'replaced', connection_lost: 'goingAway' } as const

export interface RoomTools {
  presence: RoomPresence
  moderation: RoomModeration
  janus: Janus
  attend(room: Room): Attendant
}

export class Room implements MemberRoom {
  readonly id: string
  readonly orgId: string
  readonly record: boolean
  readonly members = new Map<string, Member>()
  readonly door: WaitingRoom
  readonly #facts: rooms.Room
  readonly #presence: RoomPresence
  readonly #moderation: RoomModeration
  readonly #janus: Janus
  readonly #attendant: Attendant
  #media: Promise<VideoRoom> | undefined
  readonly #talk = new Chat(this)
  readonly updates = new Updates(this)
  readonly #reconciler = new Reconciler(this)
  #settings: rooms.Settings
  #speaker: string | undefined
  #air: RoomAir = { broadcast: false, restreamed: false, recording: false }
  readonly departures: Departures
  /** Media messages of one member are processed one after another. */
  readonly #messages = new KeyedMutex()
  #closed = false

  constructor(facts: rooms.Room, tools: RoomTools) {
    this.id = facts.id
    this.orgId = facts.org_id
    this.record = facts.record
    this.#facts = facts
    this.#settings = facts
    this.departures = new Departures(facts.id, tools.presence)
    this.door = new WaitingRoom(this, tools)
    this.#presence = tools.presence
    this.#moderation = tools.moderation
    this.#janus = tools.janus
    this.#attendant = tools.attend(this)
  }

  get name(): string {
    return this.#facts.name
  }

  get maxParticipants(): number {
    return this.#facts.max_participants
  }

  get chatRule(): rooms.Settings['chat'] {
    return this.#settings.chat
  }

  get layout(): rooms.Settings['layout'] {
    return this.#settings.layout
  }

  get speaker(): string | undefined {
    return this.#speaker !== undefined && this.members.has(this.#speaker) ? this.#speaker : undefined
  }

  get stage(): readonly OnStage[] {
    return getStage(this.members.values(), this.layout === 'screen')
  }

  /**
   * Forwards the audio and video of a participant, or only the camera, to ports of this host. Returns a function that
   * stops forwarding.
   */
  async forward(participantId: string, ports: ForwardPorts, isBeside?: boolean): Promise<() => Promise<void>> {
    return await forwardMedia(this.members.get(participantId), () => this.media(), ports, isBeside)
  }

  get air(): Readonly<RoomAir> {
    return this.#air
  }

  setAir(air: RoomAir): void {
    const before = this.#shownAir
    this.#air = air
    const now = this.#shownAir
    if (now.broadcast !== before.broadcast || now.recording !== before.recording) this.tell({ type: 'air', ...now })
  }

  /** As participants see it, without the destination of the broadcast. */
  get #shownAir() {
    const { broadcast, restreamed, recording } = this.#air
    return { broadcast: broadcast || restreamed, recording }
  }

  set({ chat, waiting_room, layout }: rooms.Settings): void {
    const before = this.#settings
    this.#settings = { chat, waiting_room, layout }
    if (chat === before.chat && waiting_room === before.waiting_room && layout === before.layout) return
    for (const { socket, can } of this.members.values()) socket.send({ type: 'settings', ...this.#shownSettings, can })
  }

  get #shownSettings(): SettingsMessage {
    const { chat, waiting_room: waitingRoom, layout } = this.#settings
    return { chat, waitingRoom, layout }
  }

  media(): Promise<VideoRoom> {
    if (this.#media) return this.#media
    const opening = VideoRoom.open(this.#janus, this.id, this.#facts.max_participants)
    opening.catch(() => {
      if (this.#media === opening) this.#media = undefined
    })
    this.#media = opening
    return opening
  }

  streamsFor(member: Member): readonly StreamView[] {
    return [...this.members.values()].flatMap((other) => (other === member ? [] : other.published))
  }

  changed(member: Member): void {
    if (this.members.get(member.id) !== member) return
    member.unsaved = true
    this.updates.note(member)
    this.#follow()
  }

  speaking(member: Member, speaking: boolean): void {
    if (speaking) this.#speaker = member.id
    this.tell({ type: 'speaking', participantId: member.id, speaking })
  }

  lost(member: Member): void {
    this.putOut(member, 'goingAway', 'connection_lost')
  }

  enter(row: Participant, socket: ClientSocket): Member {
    const former = this.members.get(row.participant_id)
    if (former) this.putOut(former, 'replaced', 'replaced')
    const member = new Member(row, socket, this)
    this.members.set(member.id, member)
    socket.send({
      type: 'joined',
      room: { roomId: this.id, name: this.name, maxParticipants: this.maxParticipants, record: this.record },
      self: { ...member.shown, can: member.can },
      participants: [...this.members.values()].filter((other) => other !== member).map(({ shown }) => shown),
      iceServers: iceServers(member.id),
      ...this.#shownAir,
      settings: this.#shownSettings,
      chat: this.#talk.history,
    })
    this.door.tell(member)
    this.tell({ type: 'participant', event: 'joined', participant: member.shown }, member)
    member.subscriber.follow()
    return member
  }

  visit(member: Member): Visit {
    return {
      hear: (message) => this.hear(member, message),
      gone: () => this.putOut(member, undefined, 'connection_lost'),
    }
  }

  async giveRole(member: Member, role: Member['role']): Promise<void> {
    if (!(await member.setRole(role))) return
    this.changed(member)
    this.door.tell(member)
  }

  async hear(member: Member, message: ClientMessage): Promise<void> {
    try {
      if (message.type === 'leave') return this.putOut(member, undefined, 'left')
      if (message.type === 'chat' || message.type === 'data') return this.#talk.hear(member, message)
      if (message.type === 'admit' || message.type === 'refuse') return await this.door.decide(member, message)
      if (isModeration(message)) return await moderate(this, member, message, this.#moderation)
      await this.#messages.run(member.row.connection_id, () => member.media(message))
    } catch (error) {
      member.socket.send(createFailureMessage(error, message, this.id))
    }
  }

  putOut(member: Member, code: CloseCode | undefined, reason: Reason): void {
    if (this.members.get(member.id) !== member) return
    this.members.delete(member.id)
    if (code) member.socket.close(code, reason)
    else member.socket.end()
    this.tell({ type: 'participant', event: 'left', participant: member.shown, reason })
    this.departures.note(member.row.connection_id, reason)
    member.close().catch((error) => log.debug({ err: error }, 'media connections had already ended'))
    this.#follow()
  }

  /** Applies the changes that the API requested. A participant who exists only in memory must reconnect. */
  async meet(wishes: readonly RequestedChange[], asked: readonly Member[]): Promise<void> {
    for (const member of asked) {
      if (this.members.get(member.id) !== member) continue
      const consequence = resolveRequests(member.row, wishes)
      if (consequence.out) {
        this.putOut(member, outCodes[consequence.out], consequence.out)
        continue
      }
      const { role, mutes } = consequence
      await this.giveRole(member, role)
      for (const kind of mutes) await member.mute(kind, 'api')
      if (mutes.length > 0) await this.#presence.clearMute(member.row.connection_id)
    }
  }

  async reconcile(): Promise<void> {
    if (this.#media) await this.#reconciler.compare(await this.#media)
  }

  loseMedia(): void {
    this.#media = undefined
    this.empty('goingAway', 'media_server_lost')
  }

  empty(code: CloseCode, reason: Reason): void {
    for (const member of this.members.values()) this.putOut(member, code, reason)
    this.door.empty(code, reason)
  }

  async attend(): Promise<void> {
    if (!this.#closed) await this.#attendant.look()
  }

  async close(how: 'ended' | 'given_up'): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const isOver = how === 'ended'
    this.empty(isOver ? 'roomEnded' : 'goingAway', isOver ? 'room_ended' : 'connection_lost')
    await this.#attendant.close(how)
    await this.departures.save()
    await (await this.#media?.catch(() => undefined))?.destroy()
  }

  tell(message: ServerMessage, except?: Member): void {
    for (const member of this.members.values()) if (member !== except) member.socket.send(message)
  }

  /** Stores the state of a participant. If this fails, the next comparison retries. */
  async save(member: Member): Promise<void> {
    member.unsaved = false
    const { state, tracks } = member.shown
    await this.#presence.update({ connection_id: member.row.connection_id, state, tracks: [...tracks] }).catch(() => {
      member.unsaved = true
    })
  }

  #follow(): void {
    for (const member of this.members.values()) member.subscriber.follow()
    void this.attend().catch((error) => log.warn({ err: error, room: this.id }, 'a follow-up action of a room failed'))
  }
}
