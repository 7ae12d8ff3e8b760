import { randomBytes } from 'node:crypto'

/** Timeout in milliseconds for a packager to open its stream. After that, the publisher starts without the packager. */
const mostMs = 4_000

const newToken = () => randomBytes(18).toString('base64url')

/**
 * RTMP URLs with which packagers and restreams play the streams of publishers. Each URL has a token. A check of the IP
 * address is not sufficient, because all clients behind a proxy come from loopback.
 */
export class StreamUrls {
  readonly #base: string
  readonly #packagerToken = newToken()
  readonly #restreamToken = newToken()
  readonly #pending = new Map<string, () => void>()

  constructor(port: number) {
    this.#base = `rtmp://127.0.0.1:${port}/live`
  }

  forPackager(stream: string): string {
    return `${this.#base}/${stream}?t=${this.#packagerToken}`
  }

  forRestream(stream: string): string {
    return `${this.#base}/${stream}?t=${this.#restreamToken}`
  }

  /** Resolves when a packager opens the stream. */
  async nextPackager(stream: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#pending.set(stream, resolve)
    const timer = setTimeout(resolve, mostMs)
    await promise
    clearTimeout(timer)
  }

  /** True if a client with this token can play streams. */
  isAllowed({ name, token }: { name: string; token: string }): boolean {
    if (token === this.#restreamToken) return true
    if (token !== this.#packagerToken) return false
    this.#pending.get(name)?.()
    this.#pending.delete(name)
    return true
  }
}
