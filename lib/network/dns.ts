import type { MxRecord } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { config } from '../config.ts'

/** Resolves names only with DNS. The hosts file and mDNS are not used. */
export interface Dns {
  /** Returns the TXT records, or none if the name does not exist. Throws `LookupFailedError`. */
  texts(name: string): Promise<string[]>
  addresses(name: string): Promise<string[]>
  /** Returns the MX records, highest preference first. A null MX (RFC 7505) has an empty `exchange`. */
  mailServers(name: string): Promise<MxRecord[]>
  nameServers(name: string): Promise<string[]>
  alias(name: string): Promise<string | null>
}

/** Thrown if no DNS server responded. A name without records does not cause this error. */
export class LookupFailedError extends Error {
  override name = 'LookupFailedError'
}

/** Error codes for a missing record (NODATA) and a missing name (NXDOMAIN). */
const nothing = new Set(['ENODATA', 'ENOTFOUND'])

const reasons: Record<string, string> = {
  ESERVFAIL: 'its name servers returned an error (SERVFAIL)',
  ETIMEOUT: 'its name servers did not respond in time',
  EREFUSED: 'its name servers rejected the query (REFUSED)',
  ECONNREFUSED: 'no DNS server could be reached',
  EBADRESP: 'a name server returned a response that cannot be read',
}

export interface DnsTimeouts {
  timeout: number
  tries: number
}

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
      throw new LookupFailedError(`${name} could not be looked up: ${why}.`, { cause: error })
    }
  }

  return {
    // A TXT record longer than 255 bytes is returned in pieces (RFC 1035 §3.3.14).
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
