import { reachable } from '#lib/address-guard.ts'
import { config } from '#lib/config.ts'
import { createDns, type Dns, LookupFailed } from '#lib/dns.ts'

/** Asks the name servers of names' own zones, which have no old answers, as resolvers do for names that were not there. */
export type ZoneDns = Pick<Dns, 'texts' | 'mailServers'>

/** Where name servers are found and reached. */
export interface ZoneDnsOptions {
  /** Finds the name servers and their addresses. */
  recursive: Dns
  /** The port on which they are asked. */
  port: number
  /** CIDR ranges beside public addresses at which they may be. */
  allowed: readonly string[]
}

/** Aliases in a row that are followed. */
const maxAliases = 8
/** Servers of one zone that are asked in turn, and addresses of them. */
const [maxServers, maxAddresses] = [4, 4]

const configured = (): ZoneDnsOptions => ({
  recursive: createDns(),
  port: config.DNS_AUTHORITATIVE_PORT,
  allowed: config.OUTBOUND_ALLOWED,
})

/** Looks records up at their source; what it finds of zones it keeps, so it is made anew for each round of questions. */
export function createZoneDns({ recursive, port, allowed }: ZoneDnsOptions = configured()): ZoneDns {
  const isReachable = reachable(allowed)
  const zones = new Map<string, Promise<Dns | null>>()

  /** Those that serve the zone of that very name; null for what is no zone. */
  async function openZone(name: string): Promise<Dns | null> {
    const servers = (await recursive.nameServers(name)).slice(0, maxServers)
    if (servers.length === 0) return null
    const found = await Promise.allSettled(servers.map((server) => recursive.addresses(server)))
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
    const usable = addresses.filter(isReachable).slice(0, maxAddresses)
    if (usable.length > 0) {
      const literals = usable.map((address) => `${address.includes(':') ? `[${address}]` : address}:${port}`)
      return createDns(literals, { timeout: 2_000, tries: usable.length > 1 ? 1 : 2 })
    }
    const why = addresses.length === 0 ? 'have no known IP address' : 'have no public IP address'
    throw new LookupFailed(`${name} could not be looked up: its name servers ${why}.`)
  }

  /** The servers of the zone that a name is in; the resolver for what is in none. */
  async function zoneOf(name: string): Promise<Dns> {
    for (let at = name; at.includes('.'); at = at.slice(at.indexOf('.') + 1)) {
      const zone = zones.get(at) ?? openZone(at)
      zones.set(at, zone)
      const servers = await zone
      if (servers) return servers
    }
    return recursive
  }

  /** Authoritative servers give an alias and not what is behind it when that is in another zone. */
  async function ask<T>(
    name: string,
    query: (dns: Dns, name: string) => Promise<T[]>,
    left = maxAliases,
  ): Promise<T[]> {
    const zone = await zoneOf(name)
    const found = await query(zone, name)
    if (found.length > 0 || left === 0) return found
    const target = await zone.alias(name)
    return target === null ? [] : await ask(target.toLowerCase(), query, left - 1)
  }

  return {
    texts: (name) => ask(name, (dns, at) => dns.texts(at)),
    mailServers: (name) => ask(name, (dns, at) => dns.mailServers(at)),
  }
}
