import type { z } from 'zod'
import type { Kind, Track } from '#sql/rooms/participants.ts'
import type { JanusMessage } from '../janus/session.ts'
import type { PublisherHandle, VideoRoom } from '../janus/video-room.ts'
import type { MessageOf } from './messages.ts'
import { RefusalError } from './refusal.ts'
import { checkOffer } from './sdp.ts'

export type PublishedTrack = z.infer<typeof Track> & {
  mid: string
  simulcast: boolean
  /** True if a host muted the track. The media server then blocks it. */
  silenced: boolean
}

/** Connection on which a client publishes. It exists only while the client may publish. */
export class Publisher {
  readonly #room: () => Promise<VideoRoom>
  readonly #name: string
  readonly #on: { changed(): void; speaking(speaking: boolean): void; lost(): void }
  #publishing: PublisherHandle | undefined
  #tracks: readonly PublishedTrack[] = []
  #isUp = false

  constructor(
    room: () => Promise<VideoRoom>,
    name: string,
    on: { changed(): void; speaking(speaking: boolean): void; lost(): void },
  ) {
    this.#room = room
    this.#name = name
    this.#on = on
  }

  get feed(): string | undefined {
    return this.#publishing?.feed
  }

  /** Tracks that the media server receives. Empty until the connection is established. */
  get tracks(): readonly PublishedTrack[] {
    return this.#isUp ? this.#tracks : []
  }

  async publish(message: MessageOf<'publish'>): Promise<string> {
    checkOffer(message)
    this.#publishing ??= await (await this.#room()).admit(this.#name, (said) => this.#hear(said))
    const { sdp, streams } = await this.#publishing.publish(message.sdp).catch(async (error) => {
      // The connection failed. The next offer starts a new connection.
      if (!this.#isUp) await this.close()
      throw error
    })
    const before = new Map(this.#tracks.map((track) => [track.mid, track]))
    this.#tracks = message.tracks.map(({ mid, kind, source }) => ({
      mid,
      kind,
      source,
      simulcast: streams.find((stream) => stream.mid === mid)?.simulcast ?? false,
      muted: before.get(mid)?.muted ?? false,
      silenced: before.get(mid)?.silenced ?? false,
    }))
    if (this.#isUp) this.#on.changed()
    return sdp
  }

  /** Stores the mute states of the owner and unblocks tracks that a host had muted. */
  async setMuted(changes: MessageOf<'state'>['tracks']): Promise<void> {
    const unknown = changes.find(({ mid }) => !this.#tracks.some((track) => track.mid === mid))
    if (unknown) throw new RefusalError('bad_request', `tracks: no track is published as ${unknown.mid}`)
    let isNew = false
    for (const { mid, muted } of changes) {
      const track = this.#tracks.find((one) => one.mid === mid)
      if (!track) continue
      if (!muted && track.silenced && this.feed) {
        await (await this.#room()).moderate(this.feed, mid, false)
        track.silenced = false
      }
      isNew ||= track.muted !== muted
      track.muted = muted
    }
    if (isNew) this.#on.changed()
  }

  /** Blocks all tracks of a kind. Returns false if there are none. */
  async silence(kind: z.infer<typeof Kind>): Promise<boolean> {
    const found = this.#tracks.filter((track) => track.kind === kind && !track.silenced)
    if (found.length === 0 || !this.feed) return false
    const room = await this.#room()
    for (const track of found) {
      await room.moderate(this.feed, track.mid, true)
      track.silenced = true
      track.muted = true
    }
    this.#on.changed()
    return true
  }

  async trickle(candidate: object | null): Promise<void> {
    await this.#publishing?.trickle(candidate)
  }

  async keyframe(): Promise<void> {
    await this.#publishing?.keyframe()
  }

  async close(): Promise<void> {
    const publishing = this.#publishing
    const isTold = this.tracks.length > 0
    this.#forget()
    if (isTold) this.#on.changed()
    await publishing?.detach()
  }

  #forget(): void {
    this.#publishing = undefined
    this.#tracks = []
    this.#isUp = false
  }

  #hear({ janus, plugindata }: JanusMessage): void {
    if (!this.#publishing) return
    if (janus === 'webrtcup') {
      this.#isUp = true
      this.#on.changed()
    } else if (janus === 'hangup' || janus === 'detached') {
      const publishing = this.#publishing
      this.#forget()
      void publishing.detach()
      this.#on.lost()
    } else if (janus === 'event' && plugindata?.data.id === this.feed) {
      const { videoroom } = plugindata?.data ?? {}
      if (videoroom === 'talking' || videoroom === 'stopped-talking') this.#on.speaking(videoroom === 'talking')
    }
  }
}
