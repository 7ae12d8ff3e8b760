import { BlockList, isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

export function getNetwork(ip: string, bits: number): string {
  if (ip.includes(':')) return `${ipaddr.IPv6.networkAddressFromCIDR(`${ip}/${bits}`).toString()}/${bits}`
  const whole = numberOf(ip) & (bits === 0 ? 0 : -1 << (32 - bits))
  return `${dotted[whole >>> 24]}${dotted[(whole >>> 16) & 255]}${dotted[(whole >>> 8) & 255]}${whole & 255}/${bits}`
}

/** Octets with their dots. With fewer parts, a network is joined faster. */
const dotted = Array.from({ length: 256 }, (_, octet) => `${octet}.`)

/**
 * Returns the network that logs contain instead of an IP address. The network is wide enough that it does not identify
 * a person.
 */
export const getLoggedNetwork = (ip: string): string => getNetwork(ip, isIPv4(ip) ? 24 : 48)

/**
 * Returns an IPv4 address as a 32-bit number. Does not use `split`, because its arrays are slow and a lookup takes only
 * a microsecond.
 */
function numberOf(ip: string): number {
  let whole = 0
  let byte = 0
  for (let i = 0; i < ip.length; i++) {
    const code = ip.charCodeAt(i)
    if (code === 46) {
      whole = (whole << 8) | byte
      byte = 0
    } else byte = byte * 10 + code - 48
  }
  return (whole << 8) | byte
}

/**
 * Returns the network of an IP address or CIDR range in the format of a Postgres `cidr`. Returns undefined if the
 * string is neither.
 */
function cidrOf(text: string): string | undefined {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0 || address.includes('%')) return undefined
  const most = family === 4 ? 32 : 128
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined
  return getNetwork(address, Number(bits ?? most))
}

export const Network = z
  .string()
  .max(60)
  .transform((text, ctx) => {
    const network = cidrOf(text.trim())
    if (network !== undefined && !network.startsWith('::ffff:')) return network
    ctx.addIssue('must be an IP address or a CIDR range, such as 203.0.113.0/24')
    return z.NEVER
  })

export function createNetworkMatcher(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return (ip) => isIP(ip) !== 0 && list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')
}

export function areAllWithin(networks: readonly string[], others: readonly string[]): boolean {
  const outer = others.map((network) => ipaddr.parseCIDR(network))
  return networks
    .map((network) => ipaddr.parseCIDR(network))
    .every(([address, bits]) =>
      outer.some(
        ([base, size]) => base.kind() === address.kind() && size <= bits && address.match([base, size] as never),
      ),
    )
}

/** Types of IP addresses that are not on the public internet. They have no location. */
export const bogonTypes = [
  'unspecified',
  'broadcast',
  'multicast',
  'link_local',
  'loopback',
  'carrier_grade_nat',
  'private',
  'documentation',
  'benchmarking',
  'reserved',
  'translated',
] as const

export type BogonType = (typeof bogonTypes)[number]

const documentation = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'].map((cidr) =>
  ipaddr.parseCIDR(cidr),
)
const benchmarking = ['198.18.0.0/15', '2001:2::/48'].map((cidr) => ipaddr.parseCIDR(cidr))

/** IPv4-compatible IPv6 addresses. They are deprecated (RFC 4291 §2.5.5.1) and not assigned. */
const compatible = ipaddr.parseCIDR('::/96')

const byRange: Record<string, BogonType> = {
  unspecified: 'unspecified',
  broadcast: 'broadcast',
  multicast: 'multicast',
  linkLocal: 'link_local',
  loopback: 'loopback',
  carrierGradeNat: 'carrier_grade_nat',
  private: 'private',
  uniqueLocal: 'private',
  rfc6145: 'translated',
  rfc6052: 'translated',
  '6to4': 'translated',
  teredo: 'translated',
}

export function getBogonType(ip: string): BogonType | null {
  const address = ipaddr.parse(ip)
  const range = address.range()
  if (range === 'unicast' && address.kind() === 'ipv6' && address.match(compatible as never)) return 'reserved'
  if (range === 'unicast') return null
  const isIn = (networks: typeof documentation) =>
    networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network as never, bits))
  if (isIn(documentation)) return 'documentation'
  if (isIn(benchmarking)) return 'benchmarking'
  return byRange[range] ?? 'reserved'
}
