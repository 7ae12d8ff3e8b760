import { Feed, type FeedTools } from './feed.ts'
import { createBusyRefusal } from './refusal.ts'

/** The feeds of a worker, one per channel. A feed starts with its first viewer and ends after the last one. */
export class Feeds {
  readonly #tools: FeedTools
  readonly #most: number
  readonly #feeds = new Map<string, Feed>()
  readonly #opening = new Map<string, Promise<Feed>>()
  readonly #idleSince = new Map<string, number>()

  constructor(tools: FeedTools, most: number) {
    this.#tools = tools
    this.#most = most
  }

  get all(): readonly Feed[] {
    return [...this.#feeds.values()]
  }

  async open(channelId: string, onEnd: (feed: Feed) => void): Promise<Feed> {
    this.#idleSince.delete(channelId)
    const known = this.#feeds.get(channelId) ?? this.#opening.get(channelId)
    if (known) return await known
    if (this.#feeds.size + this.#opening.size >= this.#most) throw createBusyRefusal()
    const opening = Feed.open(channelId, this.#tools)
    this.#opening.set(channelId, opening)
    try {
      const feed = await opening
      this.#feeds.set(channelId, feed)
      void feed.ended.then(() => {
        if (this.#feeds.get(channelId) === feed) this.#feeds.delete(channelId)
        onEnd(feed)
      })
      return feed
    } finally {
      this.#opening.delete(channelId)
    }
  }

  /** Ends feeds that had no viewers for `idleMs`. */
  sweep(isWatched: (feed: Feed) => boolean, idleMs: number): void {
    for (const [channelId, feed] of this.#feeds) {
      feed.look()
      if (isWatched(feed)) this.#idleSince.delete(channelId)
      else {
        const since = this.#idleSince.get(channelId) ?? performance.now()
        this.#idleSince.set(channelId, since)
        if (performance.now() - since >= idleMs) void feed.end()
      }
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((feed) => feed.end()))
  }
}
