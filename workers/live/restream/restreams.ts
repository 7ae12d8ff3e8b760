import type { AddressGuard } from '#lib/address-guard.ts'
import { log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import type { Target } from '#sql/live/restreams.ts'
import type { RestreamTargets } from '#tasks/live/engine.ts'
import { Feed } from './feed.ts'
import { RestreamedTarget } from './target.ts'

/** What a worker sends broadcasts on with. */
export interface RestreamsOptions {
  targets: RestreamTargets
  guard: AddressGuard
  seal: Seal
  ffmpeg: string
}

/** Milliseconds without anything after which a target is told that the publisher is away. */
const awayMs = 3_000

interface Restreamed {
  feed: Feed
  targets: Map<string, RestreamedTarget>
}

/** Sends the broadcasts of a worker's channels on to their targets. */
export class Restreams {
  readonly #options: RestreamsOptions
  readonly #channels = new Map<string, Restreamed>()

  constructor(options: RestreamsOptions) {
    this.#options = options
  }

  /** Has a channel's targets be those that they are by now, and what is published come from an input; tells how it goes with each. */
  async look(channelId: string, input: () => string | undefined): Promise<void> {
    const wanted = await this.#options.targets.list(channelId)
    const from = input()
    const restreamed = this.#channels.get(channelId)
    // A broadcast that has not begun, or is over, begins with none.
    if (!restreamed && (wanted.length === 0 || from === undefined)) return
    if (wanted.length === 0) {
      this.stop(channelId)
      return
    }
    const { feed, targets } = restreamed ?? this.#begin(channelId)
    feed.input = from
    this.#keep(feed, targets, wanted)
    for (const target of targets.values()) {
      if (feed.quietFor > awayMs) target.rest()
      if (target.isWritten) continue
      target.isWritten = true
      await this.#options.targets.tell(target.facts, target.told).catch((error: Error) => {
        target.isWritten = false
        log.warn({ err: error }, 'how it goes with a target could not be written')
      })
    }
  }

  /** Ends what a channel's targets get. */
  stop(channelId: string): void {
    const restreamed = this.#channels.get(channelId)
    this.#channels.delete(channelId)
    restreamed?.feed.close()
    for (const target of restreamed?.targets.values() ?? []) target.close()
  }

  #begin(channelId: string): Restreamed {
    const targets = new Map<string, RestreamedTarget>()
    const feed = new Feed(this.#options.ffmpeg, (tag) => {
      for (const target of targets.values()) target.push(tag)
    })
    const restreamed = { feed, targets }
    this.#channels.set(channelId, restreamed)
    return restreamed
  }

  #keep(feed: Feed, targets: Map<string, RestreamedTarget>, wanted: readonly Target[]): void {
    const { guard, seal } = this.#options
    for (const [id, target] of targets) {
      if (wanted.some((one) => isSame(one, target.facts))) continue
      target.close()
      targets.delete(id)
    }
    for (const one of wanted) {
      if (targets.has(one.id)) continue
      const key = seal.open(one.stream_key, one.id)
      targets.set(one.id, new RestreamedTarget(one, { guard, key, headers: () => feed.headers }))
    }
  }
}

const isSame = (one: Target, other: Target) =>
  one.id === other.id && one.url === other.url && one.stream_key === other.stream_key
