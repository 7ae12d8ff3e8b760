/** Milliseconds in which a packager should have opened its stream; then its publisher begins all the same. */
const mostMs = 4_000

/** Packagers that are about to play a stream. */
export class Plays {
  readonly #waiting = new Map<string, () => void>()

  /** Resolves when the stream is played the next time. */
  async next(stream: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(stream, resolve)
    const timer = setTimeout(resolve, mostMs)
    await promise
    clearTimeout(timer)
  }

  /** A packager plays a stream. */
  begun(stream: string): true {
    this.#waiting.get(stream)?.()
    this.#waiting.delete(stream)
    return true
  }
}
