import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { badRequest } from '#lib/errors.ts'
import { createClientAddresses, splitHeaderList } from '#lib/network/client-address.ts'

export interface Client {
  ip: string
  origin: string
  /** Host name in lower case, without a port or a final dot. */
  host: string
}

export const isSecure = (req: IncomingMessage): boolean => (req.socket as TLSSocket).encrypted === true

/**
 * Reads `X-Forwarded-For`, `-Proto` and `-Host` only from trusted proxies (IP addresses or CIDR ranges). If a header
 * has several values, the rightmost one is used, because the nearest proxy added it. The client can set the other
 * values.
 */
export function createClients(trusted: readonly string[]): (req: IncomingMessage) => Client {
  const addressOf = createClientAddresses(trusted)

  return (req) => {
    const { ip, proxied } = addressOf(req)
    const header = (name: string) => (proxied ? splitHeaderList(req.headers[name]) : [])
    const scheme = isSecure(req) || header('x-forwarded-proto').at(-1) === 'https' ? 'https' : 'http'
    const named = namedHost(req)
    const host = header('x-forwarded-host').at(-1) ?? named
    const origin = `${scheme}://${host}`
    return { ip, origin, host: nameOf(host, origin) }
  }
}

/** RFC 9112 §3.2: a request with an invalid Host gets 400. */
function nameOf(host: string, origin: string): string {
  const url = /[/@?#\\]/.test(host) ? null : URL.parse(origin)
  if (!url) throw badRequest([{ field: 'header.host', issue: 'must be a valid host' }])
  return url.hostname.replace(/\.$/, '')
}

/** Returns the host that the client sent. HTTP/2 has a separate field for it (RFC 9113 §8.3.1). */
function namedHost({ headers, rawHeaders }: IncomingMessage): string {
  // RFC 9112 §3.2: a request with several Host headers gets 400. Node uses the first one, but a proxy can use a
  // different one.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw badRequest([{ field: 'header.host', issue: 'must be sent only once' }])
  return String(headers[':authority'] ?? headers.host ?? 'localhost')
}
