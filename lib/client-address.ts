import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { within } from './network.ts'

/** Where a request comes from. */
export interface ClientAddress {
  ip: string
  /** Whether a trusted proxy handed it on, so that its other `X-Forwarded-*` headers can be believed. */
  proxied: boolean
}

/** An address without the port that some proxies add, `1.2.3.4:5678` or `[::1]:443`, and IPv4 as such. */
function bare(given: string): string {
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(given)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(given)?.[1] ?? given
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

/** Reads `X-Forwarded-For` where a trusted proxy (address or CIDR range) set it, nowhere else; throws for what is no range. */
export function createClientAddresses(trusted: readonly string[]): (req: IncomingMessage) => ClientAddress {
  const strange = trusted.find((range) => isIP(range.split('/')[0] as string) === 0)
  if (strange !== undefined) throw new Error(`TRUSTED_PROXIES: ${strange} is neither an address nor a CIDR range.`)
  const isTrusted = within(trusted)

  return ({ socket, headers }) => {
    const peer = bare(socket.remoteAddress ?? '')
    const proxied = trusted.length > 0 && isTrusted(peer)
    // From the right: each hop appended the address it saw, and only the trusted ones can be believed.
    const hops = [...(proxied ? listed(headers['x-forwarded-for']).map(bare) : []), peer]
    let ip = peer
    for (let i = hops.length - 1; i >= 0 && isIP(hops[i] as string) !== 0; i--) {
      ip = hops[i] as string
      if (!isTrusted(ip)) break
    }
    return { ip, proxied }
  }
}

/** The values of a header that is a list. */
export const listed = (value: string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value.join(',') : (value ?? ''))
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
