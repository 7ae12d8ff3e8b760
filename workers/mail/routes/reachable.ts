import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { isPublic } from '#lib/network/public-address.ts'

export type Reach = 'reachable' | 'refused' | 'own'

/**
 * Creates a function that classifies addresses. Customers can put any address into DNS and must not reach internal
 * servers. `allowed` contains CIDR ranges and addresses that can be reached even if they are not public or belong to
 * this machine.
 */
export function createAddressClassifier(
  allowed: readonly string[],
  own: readonly string[] = [],
): (address: string) => Reach {
  const ranges = allowed.map((text) =>
    ipaddr.parseCIDR(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`),
  )
  const local = new Set([
    ...own,
    ...Object.values(networkInterfaces()).flatMap((interfaces) => interfaces?.map(({ address }) => address) ?? []),
  ])
  return (text) => {
    const address = ipaddr.process(text)
    const isAllowed = ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))
    if (isAllowed) return 'reachable'
    if (local.has(address.toString())) return 'own'
    return isPublic(address) ? 'reachable' : 'refused'
  }
}
