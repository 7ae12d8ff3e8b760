import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { createNetworkMatcher } from './network.ts'

export interface ClientAddress {
  ip: string
  proxied: boolean
}

/** Removes the port that some proxies add (`1.2.3.4:5678` or `[::1]:443`), and converts mapped IPv4 addresses. */
function bare(given: string): string {
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(given)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(given)?.[1] ?? given
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/**
 * Returns a function that gets the client’s IP address. It reads `X-Forwarded-For` only from trusted proxies (IP
 * addresses or CIDR ranges). Throws if `trusted` contains another value.
 */
export function createClientAddresses(trusted: readonly string[]): (req: IncomingMessage) => ClientAddress {
  const strange = trusted.find((range) => isIP(range.split('/')[0] as string) === 0)
  if (strange !== undefined) throw new Error(`TRUSTED_PROXIES: ${strange} is not an IP address or a CIDR range.`)
  const isTrusted = createNetworkMatcher(trusted)

  return ({ socket, headers }) => {
    const peer = bare(socket.remoteAddress ?? '')
    const proxied = trusted.length > 0 && isTrusted(peer)
    // The header is read from the right. Each proxy appends the address from which it received the request, and only
    // values from trusted proxies are used.
    const hops = [...(proxied ? splitHeaderList(headers['x-forwarded-for']).map(bare) : []), peer]
    let ip = peer
    for (let i = hops.length - 1; i >= 0 && isIP(hops[i] as string) !== 0; i--) {
      ip = hops[i] as string
      if (!isTrusted(ip)) break
    }
    return { ip, proxied }
  }
}

export const splitHeaderList = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value.join(',') : (value ?? ''))
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
