import type { z } from 'zod'
import type { Kind, Participant, Role } from '#sql/rooms/participants.ts'
import type { ChatRule } from '#sql/rooms/rooms.ts'
import { getPermissions, type Permissions } from '#tasks/rooms/rules/permissions.ts'
import { type FrameSize, maxFrameSize } from '../compositor/picture-size.ts'
import type { VideoRoom } from '../janus/video-room.ts'
import type { ClientSocket } from './client-socket.ts'
import type { ClientMessage, ParticipantMessage } from './messages.ts'
import { Publisher } from './publisher.ts'
import { RefusalError } from './refusal.ts'
import { type StreamView, Subscriber } from './subscriber.ts'

export interface MemberRoom {
  media(): Promise<VideoRoom>
  streamsFor(member: Member): readonly StreamView[]
  changed(member: Member): void
  chatRule: z.infer<typeof ChatRule>
  speaking(member: Member, speaking: boolean): void
  /** Called when a media connection has ended. The client must reconnect. */
  lost(member: Member): void
}

/** Minimum interval in milliseconds between messages about video that is too large. */
const tooLargeMs = 10_000

export class Member {
  readonly row: Participant
  readonly socket: ClientSocket
  readonly publisher: Publisher
  readonly subscriber: Subscriber
  readonly #room: MemberRoom
  role: z.infer<typeof Role>
  hand: string | null = null
  /** True if the state differs from the state in the database. */
  unsaved = false
  #toldTooLarge = Number.NEGATIVE_INFINITY
  #closed = false

  constructor(row: Participant, socket: ClientSocket, room: MemberRoom) {
    this.row = row
    this.role = row.role
    this.socket = socket
    this.#room = room
    const media = () => room.media()
    this.publisher = new Publisher(media, row.participant_id, {
      changed: () => room.changed(this),
      speaking: (speaking) => room.speaking(this, speaking),
      lost: () => {
        if (this.#closed) return
        const message = 'Your media has stopped: the media connection was closed.'
        socket.send({ type: 'error', code: 'media_lost', message, details: { connection: 'publisher' } })
        room.changed(this)
      },
    })
    this.subscriber = new Subscriber(media, () => room.streamsFor(this), {
      send: (message) => socket.send(message),
      lost: () => room.lost(this),
    })
  }

  get id(): string {
    return this.row.participant_id
  }

  get can(): Permissions {
    return getPermissions(this.role, this.#room.chatRule)
  }

  get state(): 'joined' | 'publishing' {
    return this.publisher.tracks.length > 0 ? 'publishing' : 'joined'
  }

  get shown(): ParticipantMessage {
    const { participant_id, identity, display_name, joined_at } = this.row
    return {
      participantId: participant_id,
      identity,
      displayName: display_name,
      role: this.role,
      state: this.state,
      since: joined_at.toISOString(),
      hand: this.hand,
      tracks: this.publisher.tracks.map(({ kind, source, muted }) => ({ kind, source, muted })),
    }
  }

  get published(): readonly StreamView[] {
    const { feed, tracks } = this.publisher
    if (feed === undefined) return []
    return tracks.map(({ mid, kind, source }) => ({ feed, mid, participantId: this.id, kind, source }))
  }

  async media(message: ClientMessage): Promise<void> {
    if (this.#closed) return
    switch (message.type) {
      case 'publish': {
        if (!this.can.publish) throw new RefusalError('forbidden', 'A viewer cannot publish.')
        const sdp = await this.publisher.publish(message)
        return this.socket.send({ type: 'published', id: message.id, sdp })
      }
      case 'unpublish':
        await this.publisher.close()
        break
      case 'state':
        await this.publisher.setMuted(message.tracks)
        break
      case 'answer':
        return await this.subscriber.answer(message)
      case 'layers':
        return await this.subscriber.layers(message)
      case 'candidate':
        return await this[message.connection].trickle(message.candidate)
      default:
        throw new RefusalError('bad_request', `${message.type} is currently not possible`)
    }
    this.socket.send({ type: 'done', id: message.id })
  }

  /** Changes the role. If the new role cannot publish, closes the publishing connection. */
  async setRole(role: z.infer<typeof Role>): Promise<boolean> {
    if (role === this.role) return false
    this.role = role
    if (!this.can.publish) await this.publisher.close()
    this.socket.send({ type: 'role', role, can: this.can })
    return true
  }

  async mute(kind: z.infer<typeof Kind>, by: string): Promise<void> {
    if (await this.publisher.silence(kind)) this.socket.send({ type: 'muted', kind, by })
  }

  /**
   * Notifies the client that its video is too large or hides its size, so that the video cannot be broadcast and
   * recorded. Broadcast and recording can both report this, but the message is sent once.
   */
  tellTooLarge(size: FrameSize | undefined): void {
    if (performance.now() - this.#toldTooLarge < tooLargeMs) return
    this.#toldTooLarge = performance.now()
    const { long: width, short: height } = maxFrameSize
    const own = size && `${size.width} × ${size.height} pixels`
    const message = `Your video is not broadcast or recorded: it has ${own ?? 'no readable size'}, and the maximum is ${width} × ${height}.`
    this.socket.send({
      type: 'error',
      code: 'picture_too_large',
      message,
      details: { ...size, most: { width, height } },
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.publisher.close(), this.subscriber.close()])
  }
}
