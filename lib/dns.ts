import { Resolver } from 'node:dns/promises'
import { config } from './config.ts'

/** Asks DNS servers; nothing but DNS is spoken, whatever the name. */
export interface Dns {
  /** The texts at a name, none when there is no such name; throws `LookupFailed`. */
  texts(name: string): Promise<string[]>
  /** The addresses of a name, none when there is no such name; throws `LookupFailed`. */
  addresses(name: string): Promise<string[]>
}

/** Nobody can tell now what is at a name: that is not the same as nothing being there. */
export class LookupFailed extends Error {
  override name = 'LookupFailed'
}

/** What the resolver says when there is nothing of the kind (NODATA), or no such name (NXDOMAIN). */
const nothing = new Set(['ENODATA', 'ENOTFOUND'])

const reasons: Record<string, string> = {
  ESERVFAIL: 'its name servers answered with an error (SERVFAIL)',
  ETIMEOUT: 'its name servers did not answer in time',
  EREFUSED: 'its name servers refused to answer (REFUSED)',
  ECONNREFUSED: 'no DNS server could be reached',
  EBADRESP: 'a name server gave an answer that cannot be read',
}

/** Milliseconds for which an answer is waited for, twice. */
const patienceMs = 2_500

/** Asks these servers (`address` or `address:port`), or else the system's. */
export function createDns(servers: readonly string[] = config.DNS_RESOLVERS): Dns {
  const resolver = new Resolver({ timeout: patienceMs, tries: 2 })
  if (servers.length > 0) resolver.setServers(servers)

  async function look<T>(name: string, asked: Promise<T[]>): Promise<T[]> {
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
    texts: async (name) => (await look(name, resolver.resolveTxt(name))).map((pieces) => pieces.join('')),
    async addresses(name) {
      const [v4, v6] = await Promise.allSettled([
        look(name, resolver.resolve4(name)),
        look(name, resolver.resolve6(name)),
      ])
      const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
      const failed = [v4, v6].find((answer) => answer.status === 'rejected')
      if (found.length === 0 && failed) throw failed.reason
      return found
    },
  }
}
