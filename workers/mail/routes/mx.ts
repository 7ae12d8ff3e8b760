import { Resolver } from 'node:dns/promises'

export type MxAnswer =
  | { kind: 'hosts'; hosts: readonly MxHost[] }
  /** The domain accepts no email (RFC 7505). */
  | { kind: 'null' }
  | { kind: 'nothing' }
  | { kind: 'failed'; why: string }

export interface MxHost {
  name: string
  preference: number
}

/** Time to live in milliseconds of cached results, and of cached failures and missing records. */
const keptMs = 300_000
const keptBriefly = 30_000
const most = 50_000

const isNothing = (error: unknown) => ['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException).code ?? '')

export class MxResolver {
  readonly #resolver: Resolver
  readonly #kept = new Map<string, { answer: Promise<unknown>; until: number }>()

  /** Each query times out after `timeout` milliseconds and is sent up to twice. */
  constructor(servers: readonly string[], timeout = 3_000) {
    this.#resolver = new Resolver({ timeout, tries: 2 })
    if (servers.length > 0) this.#resolver.setServers(servers)
  }

  /** Returns the MX hosts, or the domain itself if it has an address and no MX (RFC 5321 §5.1). */
  mx(domain: string): Promise<MxAnswer> {
    return this.#keep(
      `mx ${domain}`,
      () => this.#mx(domain),
      ({ kind }) => kind === 'hosts' || kind === 'null',
    )
  }

  async #mx(domain: string): Promise<MxAnswer> {
    try {
      const records = await this.#resolver.resolveMx(domain)
      const hosts = records.map(({ exchange, priority }) => ({ name: nameOf(exchange), preference: priority }))
      if (hosts.some(({ name }) => name === '')) return { kind: 'null' }
      if (hosts.length > 0) return { kind: 'hosts', hosts }
    } catch (error) {
      if (!isNothing(error)) return { kind: 'failed', why: whyOf(domain, error) }
    }
    try {
      const addresses = await this.addresses(domain)
      return addresses.length > 0 ? { kind: 'hosts', hosts: [{ name: domain, preference: 0 }] } : { kind: 'nothing' }
    } catch (error) {
      return { kind: 'failed', why: (error as Error).message }
    }
  }

  /** Returns all addresses, IPv4 and IPv6 in turn; an empty list if there are none. Throws if DNS does not respond. */
  addresses(host: string): Promise<readonly string[]> {
    return this.#keep(
      `a ${host}`,
      () => this.#addresses(host),
      (found) => found.length > 0,
    )
  }

  async #addresses(host: string): Promise<readonly string[]> {
    const [v4, v6] = await Promise.allSettled([this.#resolver.resolve4(host), this.#resolver.resolve6(host)])
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const failed = [v4, v6].find((answer) => answer.status === 'rejected' && !isNothing(answer.reason))
    if (found.length === 0 && failed?.status === 'rejected') throw new Error(whyOf(host, failed.reason))
    return found
  }

  async #keep<T>(key: string, ask: () => Promise<T>, isSound: (answer: T) => boolean): Promise<T> {
    const kept = this.#kept.get(key)
    if (kept && kept.until > performance.now()) return (await kept.answer) as T
    if (this.#kept.size >= most) this.#kept.delete(this.#kept.keys().next().value as string)
    const answer = ask()
    const entry = { answer, until: performance.now() + keptBriefly }
    this.#kept.set(key, entry)
    const forget = () => this.#kept.get(key) === entry && this.#kept.delete(key)
    answer.then((found) => {
      if (isSound(found)) entry.until = performance.now() + keptMs
    }, forget)
    return await answer
  }
}

const nameOf = (exchange: string): string => exchange.replace(/\.$/, '').toLowerCase()

const whyOf = (name: string, error: unknown): string =>
  `${name} could not be looked up (${(error as NodeJS.ErrnoException).code ?? 'no answer'}).`
