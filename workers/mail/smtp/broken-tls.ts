/**
 * Period in milliseconds (three days) in which TLS is not tried again with a host whose handshake failed, and maximum
 * number of such hosts.
 */
const rememberedMs = 3 * 24 * 60 * 60_000
const most = 10_000

/** Hosts with broken TLS. After one failed handshake, Millrace connects to them without TLS. */
export class BrokenTls {
  readonly #until = new Map<string, number>()

  add(host: string): void {
    if (this.#until.size >= most) this.#until.delete(this.#until.keys().next().value as string)
    this.#until.set(host, performance.now() + rememberedMs)
  }

  has(host: string): boolean {
    const until = this.#until.get(host)
    if (until === undefined) return false
    if (until > performance.now()) return true
    this.#until.delete(host)
    return false
  }
}
