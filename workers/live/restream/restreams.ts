import { Feed } from './feed.ts'
import { TargetSet, type TargetSetTools } from './target-set.ts'

/** What a worker sends broadcasts on with. */
export interface RestreamsOptions extends TargetSetTools {
  ffmpeg: string
}

interface Restreamed {
  feed: Feed
  targets: TargetSet
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
    targets.keep(wanted)
    await targets.tell()
  }

  /** Ends what a channel's targets get. */
  stop(channelId: string): void {
    const restreamed = this.#channels.get(channelId)
    this.#channels.delete(channelId)
    restreamed?.feed.close()
    restreamed?.targets.close()
  }

  #begin(channelId: string): Restreamed {
    const feed: Feed = new Feed(this.#options.ffmpeg, (tag) => targets.push(tag))
    const targets = new TargetSet(this.#options, () => feed)
    const restreamed = { feed, targets }
    this.#channels.set(channelId, restreamed)
    return restreamed
  }
}
