import ipaddr from 'ipaddr.js'

/**
 * IPv6 unicast addresses that IANA assigns. This range does not include `::/96`, NAT64, SIIT and unassigned addresses.
 */
const given = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True if an address is on the public internet and does not embed an address of another type. ipaddr.js does not
 * classify 6to4, Teredo and documentation addresses as unicast. ISATAP addresses (RFC 5214 §6.1) can be recognised only
 * by their interface identifier.
 */
export function isPublic(address: ReturnType<typeof ipaddr.process>): boolean {
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv4') return true
  const { parts } = address as ipaddr.IPv6
  const isIsatap = ((parts[4] as number) & ~0x200) === 0 && parts[5] === 0x5efe
  return address.match(given) && !isIsatap
}
