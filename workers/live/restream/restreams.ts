import { Feed } from './feed.ts'
import { TargetSet, type TargetSetTools } from './target-set.ts'

export interface RestreamsOptions extends TargetSetTools {
  ffmpeg: string
}

interface Restreamed {
  feed: Feed
  targets: TargetSet
}

export class Restreams {
  readonly #options: RestreamsOptions
  readonly #channels = new Map<string, Restreamed>()

  constructor(options: RestreamsOptions) {
    this.#options = options
  }

  /** Updates the targets of a channel and their input, and stores the state of each target. */
  async look(channelId: string, input: () => string | undefined): Promise<void> {
    const wanted = await this.#options.targets.list(channelId)
    const from = input()
    const restreamed = this.#channels.get(channelId)
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
