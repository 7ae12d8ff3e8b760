import { lookup } from 'node:dns/promises'
import sip, { type Request } from 'sip'

/** What SIP messages go by, as a Via names it. */
export type Transport = 'UDP' | 'TCP' | 'TLS'

/** An address, and what messages to it go by. */
export interface Peer {
  transport: Transport
  address: string
  port: number
  /** The name that it was looked up by: a certificate is of that. */
  name?: string
}

/** The port where a URI names none (RFC 3261 19.1.2). */
export const usualPort = (transport: Transport): number => (transport === 'TLS' ? 5061 : 5060)

/**
 * Where responses go: back on the connection that the request came by (RFC 3261 18.2.2), or to the sender, at the port it sent
 * from if it asks for that (RFC 3581).
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

/** What messages to a URI go by. */
export function transportOf(uri: string): Transport {
  const parsed = sip.parseUri(uri)
  const named = parsed?.params.transport?.toUpperCase()
  if (named === 'TCP' || named === 'TLS') return named
  return parsed?.schema === 'sips' ? 'TLS' : 'UDP'
}

/** A URI that names what messages to it go by; one that does already stays as it is. */
export function withTransport(uri: string, transport: Transport): string {
  const isNamed = sip.parseUri(uri)?.params.transport !== undefined
  return isNamed || transport === 'UDP' ? uri : `${uri};transport=${transport.toLowerCase()}`
}

/** The address of a SIP URI; undefined when its name is unknown. */
export async function peerOf(uri: string): Promise<Peer | undefined> {
  const parsed = sip.parseUri(uri)
  if (!parsed) return undefined
  const found = await lookup(parsed.host, 4).catch(() => undefined)
  const transport = transportOf(uri)
  return found && { transport, address: found.address, port: parsed.port || usualPort(transport), name: parsed.host }
}
