import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** The network that an address or a CIDR range means, as Postgres writes a `cidr`; undefined for what is neither. */
function canonical(text: string): string | undefined {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0 || address.includes('%')) return undefined
  const most = family === 4 ? 32 : 128
  if (bits !== undefined && !(/^\d{1,3}$/.test(bits) && Number(bits) <= most)) return undefined
  const size = Number(bits ?? most)
  const kind = family === 4 ? ipaddr.IPv4 : ipaddr.IPv6
  return `${kind.networkAddressFromCIDR(`${address}/${size}`).toString()}/${size}`
}

/** An address or a CIDR range; what comes of it is a range whose host bits are 0. */
export const Network = z
  .string()
  .max(60)
  .transform((text, ctx) => {
    const network = canonical(text.trim())
    if (network !== undefined && !network.startsWith('::ffff:')) return network
    ctx.addIssue('is neither an address nor a CIDR range, as 203.0.113.0/24 is')
    return z.NEVER
  })

/** Makes the function that tells whether an address is in one of the networks. */
export function within(networks: readonly string[]): (ip: string) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, Number(bits ?? (family === 'ipv6' ? 128 : 32)), family)
  }
  return (ip) => isIP(ip) !== 0 && list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')
}

/** Whether each of these networks lies in one of the others. */
export function allWithin(networks: readonly string[], others: readonly string[]): boolean {
  const outer = others.map((network) => ipaddr.parseCIDR(network))
  return networks
    .map((network) => ipaddr.parseCIDR(network))
    .every(([address, bits]) =>
      outer.some(
        ([base, size]) => base.kind() === address.kind() && size <= bits && address.match([base, size] as never),
      ),
    )
}
