import type { z } from 'zod'
import { KeyedMutex } from '#lib/keyed-mutex.ts'
import { log } from '#lib/log.ts'
import type { LeftReason, Participant } from '#sql/rooms/participants.ts'
import type * as rooms from '#sql/rooms/rooms.ts'
import { NotWritten, type RoomModeration, type RoomPresence, type Wish } from '#tasks/rooms/engine.ts'
import { consequenceOf } from '#tasks/rooms/rules/wishes.ts'
import type { Janus } from '../janus/janus.ts'
import { JanusRefusal } from '../janus/session.ts'
import { VideoRoom } from '../janus/video-room.ts'
import type { ClientSocket } from './client-socket.ts'
import { iceServers } from './ice-servers.ts'
import { Member, type MemberRoom } from './member.ts'
import type { ClientMessage, CloseCode, ServerMessage } from './messages.ts'
import { endByHost, moderate } from './moderate.ts'
import { Refusal } from './refusal.ts'
import type { Attendant, ForwardPorts, OnStage } from './stage.ts'
import type { StreamView } from './subscriber.ts'

/** Why someone is out. */
type Reason = z.infer<typeof LeftReason>

/** How a client is sent away whom the database has out. */
const outCodes = { kicked: 'kicked', replaced: 'replaced', connection_lost: 'goingAway' } as const

/** What a room needs of its worker. */
export interface RoomTools {
  presence: RoomPresence
  moderation: RoomModeration
  janus: Janus
  /** Follows the room. */
  attend(room: Room): Attendant
}

export class Room implements MemberRoom {
  readonly id: string
  readonly orgId: string
  readonly record: boolean
  readonly members = new Map<string, Member>()
  readonly #facts: rooms.Room
  readonly #presence: RoomPresence
  readonly #moderation: RoomModeration
  readonly #janus: Janus
  readonly #attendant: Attendant
  #media: Promise<VideoRoom> | undefined
  #air = { broadcast: false, recording: false }
  /** Connections that are out, of which the database does not know yet. */
  readonly #leaving = new Map<string, Reason>()
  /** What each asks of its own media is done one after the other. */
  readonly #messages = new KeyedMutex()
  #closed = false

  constructor(facts: rooms.Room, tools: RoomTools) {
    this.id = facts.id
    this.orgId = facts.org_id
    this.record = facts.record
    this.#facts = facts
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

  /** Those who publish now. */
  get stage(): readonly OnStage[] {
    return [...this.members.values()].flatMap(({ id, row, publisher: { feed, tracks } }) => {
      if (tracks.length === 0) return []
      const sources = new Set(tracks.map(({ source }) => source))
      const video = sources.has('screen') ? 'screen' : sources.has('camera') ? 'camera' : undefined
      return [{ participantId: id, feed, name: row.display_name, audio: sources.has('microphone'), video }]
    })
  }

  /** Has somebody's voice and picture sent to ports of this host, with a whole picture first; returns how to stop it. */
  async forward(participantId: string, ports: ForwardPorts): Promise<() => Promise<void>> {
    const { publisher } = this.members.get(participantId) ?? {}
    if (!publisher?.feed || publisher.tracks.length === 0) throw new Error('They publish nothing.')
    const { feed, tracks } = publisher
    const audio = tracks.find(({ source }) => source === 'microphone')
    const video = tracks.find(({ source }) => source === 'screen') ?? tracks.find(({ kind }) => kind === 'video')
    const media = await this.media()
    const stop = await media.forward(feed, {
      audio: audio && { mid: audio.mid, port: ports.audioPort },
      video: video && {
        mid: video.mid,
        port: ports.videoPort,
        rtcpPort: ports.videoRtcpPort,
        simulcast: video.simulcast,
      },
    })
    await publisher.keyframe().catch(() => {})
    return stop
  }

  /** Whether it is on the air and recorded, as its worker last read. */
  get air(): Readonly<{ broadcast: boolean; recording: boolean }> {
    return this.#air
  }

  /** Tells everybody whether the room is on the air and recorded. */
  setAir(air: { broadcast: boolean; recording: boolean }): void {
    if (air.broadcast === this.#air.broadcast && air.recording === this.#air.recording) return
    this.#air = air
    this.tell({ type: 'air', ...air })
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
    void this.save(member)
    this.tell({ type: 'participant', event: 'updated', participant: member.shown })
    this.#follow()
  }

  speaking(member: Member, speaking: boolean): void {
    this.tell({ type: 'speaking', participantId: member.id, speaking })
  }

  lost(member: Member): void {
    this.putOut(member, 'goingAway', 'connection_lost')
  }

  /** Takes somebody in of whom the database knows; an older connection of theirs is ended. */
  enter(row: Participant, socket: ClientSocket): Member {
    const former = this.members.get(row.participant_id)
    if (former) this.putOut(former, 'replaced', 'replaced')
    const member = new Member(row, socket, this)
    const { name, max_participants: maxParticipants, record } = this.#facts
    this.members.set(member.id, member)
    socket.send({
      type: 'joined',
      room: { roomId: this.id, name, maxParticipants, record },
      self: { ...member.shown, can: member.can },
      participants: [...this.members.values()].filter((other) => other !== member).map(({ shown }) => shown),
      iceServers: iceServers(member.id),
      ...this.#air,
    })
    this.tell({ type: 'participant', event: 'joined', participant: member.shown }, member)
    member.subscriber.follow()
    return member
  }

  /** Does what somebody asks. */
  async hear(member: Member, message: ClientMessage): Promise<void> {
    try {
      if (message.type === 'leave') return this.putOut(member, undefined, 'left')
      if (message.type === 'end') return await endByHost(this.id, member, message, this.#moderation)
      if (message.type === 'kick' || message.type === 'mute' || message.type === 'setRole')
        return await moderate(this, member, message, this.#moderation)
      await this.#messages.run(member.row.connection_id, () => member.media(message))
    } catch (error) {
      const id = 'id' in message ? message.id : undefined
      if (error instanceof Refusal) {
        const { code, details } = error
        return member.socket.send({ type: 'error', id, code, message: error.message, details })
      }
      if (error instanceof NotWritten) {
        const text = 'The platform cannot write this down now; try again in a moment.'
        return member.socket.send({ type: 'error', id, code: 'unavailable', message: text })
      }
      if (error instanceof JanusRefusal) log.debug({ err: error, room: this.id }, 'the media server refused a message')
      else log.warn({ err: error, room: this.id, type: message.type }, 'a message of a participant came to nothing')
      member.socket.send({ type: 'error', id, code: 'media_failed', message: 'The media server did not take it.' })
    }
  }

  /** Somebody is out: their connections end, and all are told. */
  putOut(member: Member, code: CloseCode | undefined, reason: Reason): void {
    if (this.members.get(member.id) !== member) return
    this.members.delete(member.id)
    if (code) member.socket.close(code, reason)
    else member.socket.end()
    const gone: ServerMessage = { type: 'participant', event: 'left', participant: member.shown, reason }
    this.tell(gone)
    this.#leaving.set(member.row.connection_id, reason)
    void this.saveLeft()
    member.close().catch((error) => log.debug({ err: error }, 'connections of media were gone before'))
    this.#follow()
  }

  /** Does what the API wants of those who are in; who is in for us alone has to come back. */
  async meet(wishes: readonly Wish[], asked: readonly Member[]): Promise<void> {
    for (const member of asked) {
      if (this.members.get(member.id) !== member) continue
      const consequence = consequenceOf(member.row, wishes)
      if (consequence.out) {
        this.putOut(member, outCodes[consequence.out], consequence.out)
        continue
      }
      const { role, mutes } = consequence
      if (await member.setRole(role)) this.changed(member)
      for (const kind of mutes) await member.mute(kind, 'api')
      if (mutes.length > 0) await this.#presence.clearMute(member.row.connection_id)
    }
  }

  /** Compares who publishes with what the media server has, and makes them agree. */
  async reconcile(): Promise<void> {
    if (!this.#media) return
    const media = await this.#media
    const feeds = await media.list()
    for (const member of this.members.values()) {
      const { feed, tracks } = member.publisher
      if (feed !== undefined && tracks.length > 0 && this.#published.has(feed) && feeds.get(feed) !== true)
        this.putOut(member, 'goingAway', 'media_server_lost')
      else if (member.unsaved) await this.save(member)
      member.subscriber.follow()
    }
    const known = new Set([...this.members.values()].map(({ publisher }) => publisher.feed))
    const strange = [...feeds.keys()].filter((feed) => !known.has(feed))
    for (const feed of strange) if (this.#strange.has(feed)) await media.kick(feed).catch(() => {})
    this.#strange = new Set(strange)
    this.#published = new Set([...feeds].flatMap(([feed, publishes]) => (publishes ? [feed] : [])))
  }

  /** Feeds of the last comparison: those that nobody here knew, as one that comes or goes is not known for a moment; those that published. */
  #strange: ReadonlySet<string> = new Set()
  #published: ReadonlySet<string> = new Set()

  /** The media server is gone, and with it everybody's connections. */
  loseMedia(): void {
    this.#media = undefined
    this.empty('goingAway', 'media_server_lost')
  }

  /** Puts everybody out. */
  empty(code: CloseCode, reason: Reason): void {
    for (const member of this.members.values()) this.putOut(member, code, reason)
  }

  /** Has its attendant look at it. */
  async attend(): Promise<void> {
    if (!this.#closed) await this.#attendant.look()
  }

  /** Ends it here: it has ended, or another worker shall have it. */
  async close(how: 'ended' | 'given_up'): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    const isOver = how === 'ended'
    this.empty(isOver ? 'roomEnded' : 'goingAway', isOver ? 'room_ended' : 'connection_lost')
    await this.#attendant.close(how)
    await this.saveLeft()
    const media = await this.#media?.catch(() => undefined)
    await media?.destroy()
  }

  tell(message: ServerMessage, except?: Member): void {
    for (const member of this.members.values()) if (member !== except) member.socket.send(message)
  }

  /** Writes down what somebody does; what fails is written at the next comparison. */
  async save(member: Member): Promise<void> {
    member.unsaved = false
    const { state, tracks } = member.shown
    await this.#presence.update({ connection_id: member.row.connection_id, state, tracks: [...tracks] }).catch(() => {
      member.unsaved = true
    })
  }

  /** Writes down who is out; what fails is written with the next. */
  async saveLeft(): Promise<void> {
    for (const [connection, reason] of [...this.#leaving]) {
      try {
        await this.#presence.leave(connection, reason)
        this.#leaving.delete(connection)
      } catch (error) {
        log.warn({ err: error, room: this.id }, 'that somebody left could not be written down yet')
      }
    }
  }

  #follow(): void {
    for (const member of this.members.values()) member.subscriber.follow()
    void this.attend().catch((error) => log.warn({ err: error, room: this.id }, 'what follows a room failed'))
  }
}
