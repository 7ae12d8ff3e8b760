import { log } from '#lib/log.ts'
import type { JanusMessage } from '../janus/session.ts'
import type { SubscribedStream, SubscriberHandle, VideoRoom } from '../janus/video-room.ts'
import type { MessageOf, ServerMessage } from './messages.ts'
import { RefusalError } from './refusal.ts'

export interface StreamView {
  feed: string
  mid: string
  participantId: string
  kind: string
  source: string
}

type Layer = MessageOf<'layers'>['tracks'][number]['layer']

/** Simulcast layers, in the order in which browsers send them. */
const substreams = { low: 0, middle: 1, high: 2 } as const

export class Subscriber {
  readonly #room: () => Promise<Pick<VideoRoom, 'subscribe'>>
  readonly #wanted: () => readonly StreamView[]
  readonly #send: (message: ServerMessage) => void
  readonly #onLost: () => void
  #subscribing: SubscriberHandle | undefined
  #streams: readonly SubscribedStream[] = []
  #known = new Map<string, StreamView>()
  #got = new Map<string, { key: string; layer?: Layer }>()
  /**
   * Mids for which the media server sends nothing. A mid stays in this set when another stream replaces the previous
   * one.
   */
  readonly #silent = new Set<string>()
  #running = false
  #stale = false
  #asked = false
  #closed = false

  constructor(
    room: () => Promise<Pick<VideoRoom, 'subscribe'>>,
    wanted: () => readonly StreamView[],
    on: { send(message: ServerMessage): void; lost(): void },
  ) {
    this.#room = room
    this.#wanted = wanted
    this.#send = on.send
    this.#onLost = on.lost
  }

  /** Offers new streams to the client and removes ended streams. Waits while the client has not answered an offer. */
  follow(): void {
    this.#stale = true
    if (this.#running || this.#asked || this.#closed) return
    this.#running = true
    // A stream can end at any moment. The next check uses the current streams.
    this.#work().catch((error) => log.debug({ err: error }, 'a subscription must be checked again'))
  }

  async answer({ sdp }: MessageOf<'answer'>): Promise<void> {
    if (!this.#asked || !this.#subscribing) throw new RefusalError('bad_request', 'no offer is waiting for an answer')
    await this.#subscribing.answer(sdp)
    this.#asked = false
    await this.#begin()
    this.follow()
  }

  /**
   * Applies the requested layers. Unchanged requests are not sent to the media server. A stream that resumes starts
   * with a key frame.
   */
  async layers({ tracks }: MessageOf<'layers'>): Promise<void> {
    const mids = new Set(this.#streams.map(({ mid }) => mid))
    const unknown = tracks.find(({ mid }) => !mids.has(mid))
    if (unknown) throw new RefusalError('bad_request', `tracks: no stream has the mid ${unknown.mid}`)
    const now = new Map(this.#streams.map((stream) => [stream.mid, keyOfStream(stream)]))
    const choices = tracks.flatMap(({ mid, layer }) => {
      const got = this.#got.get(mid)
      // The client requested this before it knew the stream that replaced the previous one.
      if (!got || got.key !== now.get(mid) || got.layer === layer) return []
      return [{ mid, layer, got }]
    })
    if (choices.length === 0) return
    await this.#choose(
      choices.map(({ mid, layer }) =>
        layer === 'none' ? { mid, send: false } : { mid, send: true, substream: substreams[layer] },
      ),
    )
    for (const { got, layer } of choices) got.layer = layer
  }

  async trickle(candidate: object | null): Promise<void> {
    await this.#subscribing?.trickle(candidate)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#subscribing?.detach()
  }

  /** New streams of the client are sent until the client requests otherwise, even if they replace a stopped stream. */
  async #begin(): Promise<void> {
    const before = this.#got
    const streams = this.#streams
      .filter(({ active }) => active)
      .map((stream) => [stream.mid, keyOfStream(stream)] as const)
    this.#got = new Map(
      streams.map(([mid, key]) => {
        const known = before.get(mid)
        return [mid, known?.key === key ? known : { key }]
      }),
    )
    const silent = streams.flatMap(([mid]) =>
      this.#silent.has(mid) && this.#got.get(mid)?.layer === undefined ? [{ mid, send: true }] : [],
    )
    if (silent.length > 0) await this.#choose(silent)
  }

  /**
   * Records stopped streams in the order of the requests to the media server. If a request fails, the state of its
   * streams is unknown.
   */
  async #choose(choices: Parameters<SubscriberHandle['choose']>[0]): Promise<void> {
    for (const { mid, send } of choices) {
      if (send) this.#silent.delete(mid)
      else this.#silent.add(mid)
    }
    try {
      await this.#subscribing?.choose(choices)
    } catch (error) {
      for (const { mid } of choices) this.#silent.add(mid)
      throw error
    }
  }

  async #work(): Promise<void> {
    try {
      while (this.#stale && !this.#asked && !this.#closed) {
        this.#stale = false
        const sdp = await this.#change()
        if (sdp === undefined || this.#closed) continue
        this.#asked = true
        this.#send({ type: 'offer', sdp, tracks: this.#tracks() })
      }
    } finally {
      // Set synchronously. Otherwise, a change a moment later would wait for the next check.
      this.#running = false
    }
  }

  /** Changes the subscription to the required streams. Returns an offer if the client must answer one. */
  async #change(): Promise<string | undefined> {
    const wanted = this.#wanted()
    this.#known = new Map(wanted.map((one) => [keyOf(one.feed, one.mid), one]))
    const got = this.#streams.filter(({ active, feed_id }) => active && feed_id !== undefined)
    const gotKeys = new Set(got.map(({ feed_id, feed_mid }) => keyOf(feed_id, feed_mid)))
    const add = wanted.filter((one) => !gotKeys.has(keyOf(one.feed, one.mid))).map(({ feed, mid }) => ({ feed, mid }))
    const remove = got.filter(({ feed_id, feed_mid }) => !this.#known.has(keyOf(feed_id, feed_mid)))
    if (add.length === 0 && remove.length === 0) return undefined
    if (!this.#subscribing) {
      if (add.length === 0) return undefined
      const opened = await (await this.#room()).subscribe(add, (message) => this.#hear(message))
      if (this.#closed) await opened.subscribing.detach()
      this.#subscribing = opened.subscribing
      this.#streams = opened.streams
      return opened.sdp
    }
    const changed = await this.#subscribing.update(
      add,
      remove.map(({ mid }) => mid),
    )
    if (changed.streams.length > 0) this.#streams = changed.streams
    return changed.sdp
  }

  #tracks() {
    return this.#streams.flatMap(({ mid, active, feed_id, feed_mid }) => {
      const known = this.#known.get(keyOf(feed_id, feed_mid))
      if (!active || !known) return []
      const { participantId, kind, source } = known
      return [{ mid, participantId, kind, source }]
    })
  }

  #hear({ janus }: JanusMessage): void {
    if (janus === 'hangup' && !this.#closed) this.#onLost()
  }
}

const keyOf = (feed: string | undefined, mid: string | undefined): string => `${feed} ${mid}`

const keyOfStream = ({ feed_id, feed_mid }: SubscribedStream): string => keyOf(feed_id, feed_mid)
