import { LRUCache } from 'lru-cache'
import { toDomain } from '#lib/email-address.ts'
import { type Dns, LookupFailedError } from '#lib/network/dns.ts'

/**
 * How a domain accepts email. `implicit_mx`: the domain has an address record but no MX (RFC 5321 §5.1). `bad_mx`: no
 * MX record names a host on the internet.
 */
export type MailDomain =
  | { takes: 'mx'; hosts: string[] }
  | { takes: 'implicit_mx' | 'null_mx' | 'bad_mx' | 'nothing' | 'unknown'; hosts: [] }

export interface MailDomains {
  /** Looks up each domain once. Domains without a result by `deadline` are `unknown`. */
  lookUp(domains: Iterable<string>, deadline: number): Promise<ReadonlyMap<string, MailDomain>>
}

const atOnce = 32
const unknown: MailDomain = { takes: 'unknown', hosts: [] }

/** Matches names that are never on the internet (RFC 6761, 6762, 7686, and common names of local networks). */
const within = /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|invalid|onion|arpa)$/

/** True if an MX value is a host name on the internet: not an IP address or a local name (RFC 5321 §5.1). */
const isHost = (name: string): boolean => toDomain(name.replaceAll('_', '-')) !== null && !within.test(name)

/** Creates a lookup that caches definite results for five minutes. */
export function createMailDomains(dns: Pick<Dns, 'mailServers' | 'addresses'>): MailDomains {
  const known = new LRUCache<string, MailDomain>({ max: 20_000, ttl: 5 * 60_000 })

  async function ask(domain: string): Promise<MailDomain> {
    try {
      const servers = await dns.mailServers(domain)
      if (servers.length === 0) {
        const takes = (await dns.addresses(domain)).length > 0 ? 'implicit_mx' : 'nothing'
        return { takes, hosts: [] }
      }
      const hosts = servers.map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, '')).filter(Boolean)
      if (hosts.length === 0) return { takes: 'null_mx', hosts: [] }
      const named = hosts.filter(isHost)
      return named.length > 0 ? { takes: 'mx', hosts: named } : { takes: 'bad_mx', hosts: [] }
    } catch (error) {
      if (error instanceof LookupFailedError) return unknown
      throw error
    }
  }

  async function find(domain: string, out: Promise<MailDomain>): Promise<MailDomain> {
    const before = known.get(domain)
    if (before) return before
    const found = ask(domain).then((answer) => {
      if (answer.takes !== 'unknown') known.set(domain, answer)
      return answer
    })
    return await Promise.race([found, out])
  }

  return {
    async lookUp(domains, deadline) {
      const waiting = [...new Set(domains)]
      const found = new Map<string, MailDomain>()
      const { promise: out, resolve } = Promise.withResolvers<MailDomain>()
      const timer = setTimeout(() => resolve(unknown), Math.max(0, deadline - Date.now()))
      const runner = async () => {
        for (let domain = waiting.pop(); domain !== undefined; domain = waiting.pop()) {
          found.set(domain, Date.now() < deadline ? await find(domain, out) : unknown)
        }
      }
      await Promise.all(Array.from({ length: Math.min(atOnce, waiting.length) }, runner)).finally(() =>
        clearTimeout(timer),
      )
      return found
    },
  }
}
