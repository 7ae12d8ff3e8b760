/** Three days: a host whose handshake fails is not asked for TLS again so soon. */
const rememberedMs = 3 * 24 * 60 * 60_000
const most = 10_000

/** Hosts whose TLS is broken: each costs a failed handshake once, and is then spoken to in the clear. */
export class BrokenTls {
  readonly #until = new Map<string, number>()

  /** Remembers one. */
  add(host: string): void {
    if (this.#until.size >= most) this.#until.delete(this.#until.keys().next().value as string)
    this.#until.set(host, performance.now() + rememberedMs)
  }

  /** Whether a host is one. */
  has(host: string): boolean {
    const until = this.#until.get(host)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#until.delete(host)
    return false
  }
}
