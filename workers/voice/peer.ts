import { lookup } from 'node:dns/promises'
import { parseUri, type Request } from './sip/library.ts'

/** SIP transport, as named in a Via header. */
export type Transport = 'UDP' | 'TCP' | 'TLS'

export interface Peer {
  transport: Transport
  address: string
  port: number
  /** Host name that was resolved. The certificate must match this name. */
  name?: string
}

/** Default port of a URI (RFC 3261 19.1.2). */
export const getDefaultPort = (transport: Transport): number => (transport === 'TLS' ? 5061 : 5060)

/**
 * Returns the peer for responses: the connection of the request (RFC 3261 18.2.2), or its sender. If requested, the
 * source port is used (RFC 3581).
 */
export function returnPath({ headers: { via } }: Request, from: Peer): Peer {
  const [top] = via
  if (!top) return from
  const symmetric = 'rport' in top.params
  top.params.received = from.address
  if (symmetric) top.params.rport = String(from.port)
  if (from.transport !== 'UDP') return from
  return { ...from, port: symmetric ? from.port : (top.port ?? 5060) }
}

export function getTransport(uri: string): Transport {
  const parsed = parseUri(uri)
  const named = parsed?.params.transport?.toUpperCase()
  if (named === 'TCP' || named === 'TLS') return named
  return parsed?.schema === 'sips' ? 'TLS' : 'UDP'
}

export function withTransport(uri: string, transport: Transport): string {
  const isNamed = parseUri(uri)?.params.transport !== undefined
  return isNamed || transport === 'UDP' ? uri : `${uri};transport=${transport.toLowerCase()}`
}

/** Resolves a SIP URI. Returns undefined if the name in the URI cannot be resolved. */
export async function resolvePeer(uri: string): Promise<Peer | undefined> {
  const parsed = parseUri(uri)
  if (!parsed) return undefined
  const found = await lookup(parsed.host, 4).catch(() => undefined)
  const transport = getTransport(uri)
  return (
    found && { transport, address: found.address, port: parsed.port || getDefaultPort(transport), name: parsed.host }
  )
}
