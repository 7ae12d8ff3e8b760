import type { RenditionHeight } from '#sql/live/channels.ts'

/** Number of cores per rendition, at 60 frames per second. */
const coresOf: Readonly<Record<RenditionHeight, number>> = { 720: 0.8, 480: 0.4, 360: 0.25 }

/** Cores of a worker for renditions. Requests that exceed them are rejected, so that no channel slows down. */
export class TranscodeRoom {
  readonly #cores: number
  readonly #taken = new Map<string, number>()

  constructor(cores: number) {
    this.#cores = cores
  }

  /**
   * Reserves cores for the renditions of a channel. This replaces the channel's previous reservation. Returns false if
   * there are not enough cores.
   */
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
