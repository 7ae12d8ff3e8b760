import type { z } from 'zod'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import type { WebPublishing } from '#tasks/live/engine.ts'
import type { Janus } from '../janus/janus.ts'
import { JanusGoneError, JanusRefusalError } from '../janus/session.ts'
import type { Feed } from './feed.ts'
import { Feeds } from './feeds.ts'
import type { CandidatesOrder, PublishOrder, WatchOrder } from './messages.ts'
import { Publication, type PublicationTools } from './publication.ts'
import { createBusyRefusal, WebRefusalError } from './refusal.ts'
import { Viewing } from './viewing.ts'
import type { Watched } from './watched.ts'

export interface WebOptions extends Omit<PublicationTools, 'janus'> {
  seal: Seal
  publishing: WebPublishing
  /**
   * Maximum numbers of publishers, of viewers per publication, and of all viewers. Rooms use the rest of the capacity.
   */
  mostPublishers: number
  mostViewers: number
  mostOfAll: number
}

/**
 * Limits for viewers without a session: maximum number per publication from one network (an IPv4 address or an IPv6
 * /64), and maximum share of all places. Anyone can be such a viewer, with any number of connections.
 */
const [mostOfNetwork, partOfNetwork] = [10, 1 / 4]

/** Interval in milliseconds between checks of connections, and between checks of permissions and keys. */
const [lookMs, sweepMs] = [500, 2_000]

/** Time in milliseconds without viewers after which the frames of an encoder are no longer read. */
const idleMs = 3_000

export class Web {
  readonly #options: WebOptions
  readonly #janus: Janus
  readonly #publications = new Map<string, Publication>()
  readonly #viewings = new Map<string, Viewing>()
  readonly #ends = new AsyncDisposableStack()
  /**
   * Viewers, including connections that are being opened. Opening a connection takes time, and others can arrive
   * meanwhile.
   */
  readonly #places = new Set<{ publication: Watched; network: string; isOpen: boolean }>()
  readonly #looking = new Map<Publication | Viewing, Promise<void>>()
  readonly #feeds: Feeds
  #told: ReadonlyMap<string, number> = new Map()
  #toldFeeds = new Map<string, number>()
  #opening = 0
  #closing = false

  constructor(janus: Janus, options: WebOptions) {
    this.#janus = janus
    this.#options = options
    this.#feeds = new Feeds(options, options.mostPublishers)
    const watch = options.publishing.watch((id) => this.#revoke(id))
    this.#ends.defer(() => watch.close())
    const looks = runEvery(lookMs, async () => this.#look(), quietly)
    const sweeps = runEvery(sweepMs, () => this.#sweep(), quietly)
    this.#ends.defer(async () => {
      await Promise.all([looks.stop(), sweeps.stop()])
    })
  }

  get load(): { publishers: number; viewers: number } {
    return { publishers: this.#publications.size, viewers: this.#viewings.size }
  }

  async publish({ sdp, key, ...order }: z.output<typeof PublishOrder>): Promise<string> {
    const { seal, mostPublishers } = this.#options
    const streamKey = seal.open(key, order.id)
    if (this.#closing || streamKey === null) throw createBusyRefusal()
    if (this.#publications.size + this.#opening >= mostPublishers)
      throw new WebRefusalError(503, 'unavailable', 'This worker has reached its maximum number of publishers.')
    this.#opening++
    try {
      const tools = { ...this.#options, janus: this.#janus }
      const opened = await refusing(Publication.open({ ...order, streamKey }, sdp, tools))
      this.#publications.set(order.id, opened.publication)
      void opened.publication.ended.then(() => this.#forget(order.id))
      return opened.sdp
    } finally {
      this.#opening--
    }
  }

  async watch({
    sdp,
    id,
    channelId,
    publicationId,
    sessionId,
    network,
    expiresAt,
  }: z.output<typeof WatchOrder>): Promise<string> {
    const publication = await this.#findWatched(channelId, publicationId)
    if (this.#closing || !publication?.relay || publication.facts.channelId !== channelId)
      throw new WebRefusalError(404, 'channel_not_live', 'Nothing is being broadcast on the channel.')
    const beside = [...this.#places].filter((one) => one.publication === publication)
    const { mostViewers, mostOfAll } = this.#options
    const isFull = beside.length >= mostViewers || this.#places.size >= mostOfAll
    // The session ID of viewers of an open channel is the channel's ID.
    const isOpen = sessionId === channelId
    const alike = beside.filter((one) => one.isOpen && one.network === network).length
    if (isFull || (isOpen && alike >= Math.min(mostOfNetwork, Math.ceil(partOfNetwork * mostOfAll))))
      throw new WebRefusalError(
        503,
        'unavailable',
        'This worker has reached its maximum number of WebRTC viewers. Watch over HLS.',
      )
    const place = { publication, network, isOpen }
    this.#places.add(place)
    let isOver = false
    const onEnd = () => {
      isOver = true
      this.#places.delete(place)
      this.#viewings.delete(id)
    }
    const facts = { id, viewer: { channelId, sessionId }, network, expiresAt }
    const opened = await refusing(Viewing.open(facts, { sdp, janus: this.#janus, publication, onEnd }))
    if (isOver) throw createBusyRefusal()
    this.#viewings.set(id, opened.viewing)
    // The publication can have ended while the connection was being opened.
    if (publication.relay === undefined) await opened.viewing.end('publisher_left')
    return opened.sdp
  }

  /** Returns what a viewer watches. Without a publication, an encoder is broadcast. */
  async #findWatched(channelId: string, publicationId: string | null): Promise<Watched | undefined> {
    if (publicationId !== null) return this.#publications.get(publicationId)
    return this.#closing ? undefined : await this.#feeds.open(channelId, (feed) => this.#endViewers(feed))
  }

  /** Sends candidates. Returns false if the connection does not exist. */
  async trickle(id: string, { candidates }: z.output<typeof CandidatesOrder>): Promise<boolean> {
    const connection = this.#publications.get(id) ?? this.#viewings.get(id)
    if (!connection) return false
    for (const candidate of candidates) await refusing(connection.trickle(candidate))
    return true
  }

  async end(id: string): Promise<boolean> {
    const connection = this.#publications.get(id) ?? this.#viewings.get(id)
    await connection?.end('ended')
    return connection !== undefined
  }

  loseMedia(): void {
    for (const connection of [...this.#viewings.values(), ...this.#publications.values()])
      void connection.end('media_lost')
  }

  async close(): Promise<void> {
    this.#closing = true
    await this.#ends.disposeAsync()
    await Promise.all([...this.#viewings.values()].map((one) => one.end('closing')))
    await Promise.all([...this.#publications.values()].map((one) => one.end('closing')))
    await this.#feeds.close()
    await this.#options.publishing.tellFeeds(new Map()).catch(quietly)
    await Promise.all(this.#looking.values())
  }

  #forget(id: string): void {
    const publication = this.#publications.get(id)
    this.#publications.delete(id)
    if (publication) this.#endViewers(publication)
  }

  #endViewers(watched: Watched): void {
    for (const one of this.#viewings.values()) if (one.publication === watched) void one.end('publisher_left')
  }

  #revoke(id: string): void {
    for (const one of this.#viewings.values()) if (one.viewer.sessionId === id) void one.end('revoked')
  }

  #look(): void {
    for (const one of [...this.#publications.values(), ...this.#viewings.values()]) {
      if (this.#looking.has(one)) continue
      const done = one
        .look()
        .catch(quietly)
        .finally(() => this.#looking.delete(one))
      this.#looking.set(one, done)
    }
  }

  async #sweep(): Promise<void> {
    const { publishing } = this.#options
    if (this.#opening === 0) await publishing.removeOthers([...this.#publications.keys()])
    const watched = new Set([...this.#places].map(({ publication }) => publication))
    this.#feeds.sweep((feed) => watched.has(feed), idleMs)
    await this.#tellViewers()
    await this.#tellFeeds()
    if (this.#viewings.size === 0) return
    const gone = await publishing.listGone([...this.#viewings.values()].map(({ viewer }) => viewer))
    for (const one of this.#viewings.values()) if (gone.has(one.viewer.sessionId)) void one.end('revoked')
  }

  async #tellFeeds(): Promise<void> {
    const now = new Map(
      this.#feeds.all.map((feed) => [feed.facts.channelId, countViewers(this.#viewings.values(), feed)]),
    )
    const isSame = now.size === this.#toldFeeds.size && [...now].every(([id, n]) => this.#toldFeeds.get(id) === n)
    if (isSame) return
    await this.#options.publishing.tellFeeds(now)
    this.#toldFeeds = now
  }

  async #tellViewers(): Promise<void> {
    const all = [...this.#viewings.values()]
    const now = new Map(
      [...this.#publications].map(([id, one]) => [id, all.filter(({ publication }) => publication === one).length]),
    )
    const changed = [...now].filter(([id, viewers]) => viewers !== (this.#told.get(id) ?? 0))
    if (changed.length > 0) await this.#options.publishing.tellViewers(new Map(changed))
    this.#told = now
  }
}

const countViewers = (viewings: Iterable<Viewing>, feed: Feed): number =>
  [...viewings].filter(({ publication }) => publication === feed).length

/** If Janus rejects a request, the client made an error. If Janus does not respond, the client is not the cause. */
async function refusing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof JanusGoneError) throw createBusyRefusal()
    if (error instanceof JanusRefusalError)
      throw new WebRefusalError(422, 'offer_refused', 'The media server rejected the offer.')
    throw error
  }
}

const quietly = (error: Error) => log.warn({ err: error }, 'WebRTC connections could not be checked')
