import type { MxRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { config } from './config.ts'

/** Resolves names by DNS alone: no hosts file, no mDNS. */
export interface Dns {
  /** The TXT records of a name, none when it does not exist; throws `LookupFailed`. */
  texts(name: string): Promise<string[]>
  /** The A and AAAA records of a name, none when it does not exist; throws `LookupFailed`. */
  addresses(name: string): Promise<string[]>
  /** The MX records of a name, most preferred first, none when there are none; a null MX (RFC 7505) has an empty `exchange`. */
  mailServers(name: string): Promise<MxRecord[]>
  /** The names of a zone's name servers, none for what is no zone; throws `LookupFailed`. */
  nameServers(name: string): Promise<string[]>
  /** The name that a name is an alias of (CNAME); null for what is none. */
  alias(name: string): Promise<string | null>
}

/** No server answered for a name, which is not the same as the name having no records. */
export class LookupFailed extends Error {
  override name = 'LookupFailed'
}

/** Codes for no such record (NODATA) and no such name (NXDOMAIN). */
const nothing = new Set(['ENODATA', 'ENOTFOUND'])

const reasons: Record<string, string> = {
  ESERVFAIL: 'its name servers answered with an error (SERVFAIL)',
  ETIMEOUT: 'its name servers did not answer in time',
  EREFUSED: 'its name servers refused to answer (REFUSED)',
  ECONNREFUSED: 'no DNS server could be reached',
  EBADRESP: 'a name server gave an answer that cannot be read',
}

/** How long is waited for an answer. */
export interface DnsTimeouts {
  /** Milliseconds until a query times out. */
  timeout: number
  /** How often each server is asked; a later time it is given longer. */
  tries: number
}

/** Resolves by these servers (`address` or `address:port`), or else the system's. */
export function createDns(
  servers: readonly string[] = config.DNS_RESOLVERS,
  patience: DnsTimeouts = { timeout: 2_500, tries: 2 },
): Dns {
  const resolver = new Resolver(patience)
  if (servers.length > 0) resolver.setServers(servers)

  async function resolve<T>(name: string, asked: Promise<T[]>): Promise<T[]> {
    try {
      return await asked
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (nothing.has(code)) return []
      const why = reasons[code] ?? `the look-up failed (${code})`
      throw new LookupFailed(`${name} could not be looked up: ${why}.`, { cause: error })
    }
  }

  return {
    // A text longer than 255 bytes comes in pieces (RFC 1035 §3.3.14).
    texts: async (name) => (await resolve(name, resolver.resolveTxt(name))).map((pieces) => pieces.join('')),
    async addresses(name) {
      const [v4, v6] = await Promise.allSettled([
        resolve(name, resolver.resolve4(name)),
        resolve(name, resolver.resolve6(name)),
      ])
      const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const failed = [v4, v6].find((answer) => answer.status === 'rejected')
      if (found.length === 0 && failed) throw failed.reason
      return found
    },
    async mailServers(name) {
      const found = await resolve(name, resolver.resolveMx(name))
      return found.sort((a, b) => a.priority - b.priority)
    },
    nameServers: (name) => resolve(name, resolver.resolveNs(name)),
    alias: async (name) => (await resolve(name, resolver.resolveCname(name)))[0] ?? null,
  }
}
