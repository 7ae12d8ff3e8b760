import type { RenditionHeight } from '#sql/live/channels.ts'

/** Cores that each rendition takes, at 60 pictures a second. */
const coresOf: Readonly<Record<RenditionHeight, number>> = { 720: 0.8, 480: 0.4, 360: 0.25 }

/** The cores of a worker that renditions may take: what would need more is refused, so that no channel is slowed down. */
export class TranscodeRoom {
  readonly #cores: number
  readonly #taken = new Map<string, number>()

  constructor(cores: number) {
    this.#cores = cores
  }

  /** Takes the cores for a channel's renditions, in place of what it had, until they are given back; false when there are too few. */
  take(channelId: string, heights: readonly RenditionHeight[]): boolean {
    const wanted = heights.reduce((sum, height) => sum + coresOf[height], 0)
    this.#taken.delete(channelId)
    const taken = [...this.#taken.values()].reduce((sum, cores) => sum + cores, 0)
    if (taken + wanted > this.#cores) return false
    this.#taken.set(channelId, wanted)
    return true
  }

  giveBack(channelId: string): void {
    this.#taken.delete(channelId)
  }
}
