import ipaddr from 'ipaddr.js'

/** Unicast of IPv6 that is given out (IANA): outside of it lie `::/96`, NAT64, SIIT, and all that is not assigned. */
const given = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Whether an address is reached over the public internet, and none of another kind within it. 6to4, Teredo and documentation are no
 * unicast to ipaddr.js; one of ISATAP (RFC 5214 §6.1) looks like any other but for its interface.
 */
export function isPublic(address: ReturnType<typeof ipaddr.process>): boolean {
  if (address.range() !== 'unicast') return false
  if (address.kind() === 'ipv4') return true
  const { parts } = address as ipaddr.IPv6
  const isIsatap = ((parts[4] as number) & ~0x200) === 0 && parts[5] === 0x5efe
  return address.match(given) && !isIsatap
}
