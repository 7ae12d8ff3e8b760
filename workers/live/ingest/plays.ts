/** Timeout in milliseconds for a packager to open its stream. After that, the publisher starts without the packager. */
const mostMs = 4_000

export class PendingPlays {
  readonly #waiting = new Map<string, () => void>()

  async next(stream: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.set(stream, resolve)
    const timer = setTimeout(resolve, mostMs)
    await promise
    clearTimeout(timer)
  }

  begun(stream: string): true {
    this.#waiting.get(stream)?.()
    this.#waiting.delete(stream)
    return true
  }
}
