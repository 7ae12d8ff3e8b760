import { lookup } from 'node:dns/promises'
import sip, { type Request } from 'sip'

/** A UDP address. */
export interface Peer {
  address: string
  port: number
}

/** Where responses go: to the sender, at the port it sent from if it asks for that (RFC 3581). */
export function returnPath({ headers: { via } }: Request, from: Peer): Peer {
  const [top] = via
  if (!top) return from
  const symmetric = 'rport' in top.params
  top.params.received = from.address
  if (symmetric) top.params.rport = String(from.port)
  return { address: from.address, port: symmetric ? from.port : (top.port ?? 5060) }
}

/** The address of a SIP URI; undefined when its name is unknown. */
export async function peerOf(uri: string): Promise<Peer | undefined> {
  const parsed = sip.parseUri(uri)
  if (!parsed) return undefined
  const found = await lookup(parsed.host, 4).catch(() => undefined)
  return found && { address: found.address, port: parsed.port || 5060 }
}
