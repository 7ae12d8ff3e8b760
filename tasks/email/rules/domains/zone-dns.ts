import { config } from '#lib/config.ts'
import { createReachableCheck } from '#lib/network/address-guard.ts'
import { createDns, type Dns, LookupFailedError } from '#lib/network/dns.ts'

/** Queries the authoritative name servers, which do not cache negative responses. */
export type ZoneDns = Pick<Dns, 'texts' | 'mailServers' | 'alias'>

export interface ZoneDnsOptions {
  recursive: Dns
  port: number
  /** Additional CIDR ranges in which name servers may be. */
  allowed: readonly string[]
}

/** Maximum length of an alias chain. */
const maxAliases = 8
const [maxServers, maxAddresses] = [4, 4]

const configured = (): ZoneDnsOptions => ({
  recursive: createDns(),
  port: config.DNS_AUTHORITATIVE_PORT,
  allowed: config.OUTBOUND_ALLOWED,
})

/** Caches zones. Create a new instance for each check. */
export function createZoneDns({ recursive, port, allowed }: ZoneDnsOptions = configured()): ZoneDns {
  const isReachable = createReachableCheck(allowed)
  const zones = new Map<string, Promise<Dns | null>>()

  /** Returns the servers of the zone with exactly this name. Null if the name is not a zone. */
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
    throw new LookupFailedError(`${name} could not be looked up: its name servers ${why}.`)
  }

  /** Returns the servers of the zone of a name, or the resolver if no zone is found. */
  async function zoneOf(name: string): Promise<Dns> {
    for (let at = name; at.includes('.'); at = at.slice(at.indexOf('.') + 1)) {
      const zone = zones.get(at) ?? openZone(at)
      zones.set(at, zone)
      const servers = await zone
      if (servers) return servers
    }
    return recursive
  }

  /** Authoritative servers return an alias without its target if the target is in another zone. */
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
    alias: async (name) => await (await zoneOf(name)).alias(name),
  }
}
