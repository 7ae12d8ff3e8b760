import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { createClientAddresses, listed } from '#lib/client-address.ts'
import { badRequest } from '#lib/errors.ts'

/** Where a request comes from and how it reached us, past proxies that are trusted. */
export interface Client {
  ip: string
  /** Scheme and host under which the client reached us. */
  origin: string
  /** That host's name: without port, in lower case, without a dot at its end. */
  host: string
}

/** Whether the request came to us over TLS, as those to customers' own domains do. */
export const isSecure = (req: IncomingMessage): boolean => (req.socket as TLSSocket).encrypted === true

/**
 * Reads `X-Forwarded-For`, `-Proto` and `-Host` where a trusted proxy (address or CIDR range) set them, nowhere else. Of
 * several values the rightmost counts, which the proxy nearest to us has added; the others may be the client's own.
 */
export function createClients(trusted: readonly string[]): (req: IncomingMessage) => Client {
  const addressOf = createClientAddresses(trusted)

  return (req) => {
    const { ip, proxied } = addressOf(req)
    const header = (name: string) => (proxied ? listed(req.headers[name]) : [])
    const scheme = isSecure(req) || header('x-forwarded-proto').at(-1) === 'https' ? 'https' : 'http'
    const named = namedHost(req)
    const host = header('x-forwarded-host').at(-1) ?? named
    const origin = `${scheme}://${host}`
    return { ip, origin, host: nameOf(host, origin) }
  }
}

/** RFC 9112 §3.2: a request whose Host is no host is answered 400. */
function nameOf(host: string, origin: string): string {
  const url = /[/@?#\\]/.test(host) ? null : URL.parse(origin)
  if (!url) throw badRequest([{ field: 'header.host', issue: 'is not a host' }])
  return url.hostname.replace(/\.$/, '')
}

/** The host that the client named: HTTP/2 has it in a field of its own (RFC 9113 §8.3.1). */
function namedHost({ headers, rawHeaders }: IncomingMessage): string {
  // RFC 9112 §3.2: a request with more than one is answered 400; Node keeps the first, which a proxy may not have read.
  const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
  if (hosts.length > 1) throw badRequest([{ field: 'header.host', issue: 'stands more than once' }])
  return String(headers[':authority'] ?? headers.host ?? 'localhost')
}
