import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { log } from '#lib/log.ts'
import { isWithinDialog } from './dialogs.ts'
import { type ListenOptions, newBranch, type Receiver, SipEndpoint } from './endpoint.ts'
import type { Leg } from './leg.ts'
import type { Request } from './sip/library.ts'
import type { Trunk } from './trunk.ts'

/** Opens the SIP port. If the port is in use, for example by another worker of this host, opens any free port. */
export async function openPort(where: ListenOptions, receiver: Receiver): Promise<SipEndpoint> {
  try {
    return await SipEndpoint.open(where, receiver)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    log.warn({ port: where.port }, 'the SIP port is in use; using another port')
    return await SipEndpoint.open({ ...where, port: 0, ...(where.tls && { tls: { ...where.tls, port: 0 } }) }, receiver)
  }
}

export async function findLocalAddress(trunk: Trunk): Promise<string> {
  const socket = createSocket('udp4')
  try {
    socket.connect(trunk.port, trunk.host)
    await once(socket, 'connect')
    return socket.address().address
  } catch {
    return '127.0.0.1'
  } finally {
    socket.close()
  }
}

/**
 * Responds to a request. If the request is within a dialog, its leg handles it. Calls from outside are not accepted.
 */
export function respondToRequest(endpoint: SipEndpoint, dialogs: ReadonlyMap<string, Leg>, request: Request): void {
  const { method, headers } = request
  const leg = dialogs.get(headers['call-id'])
  if (leg && isWithinDialog(leg.dialog, request)) {
    leg.receive(request)
    return
  }
  if (method === 'ACK') return
  const inDialog = headers.to.params.tag !== undefined
  if (!inDialog) headers.to.params.tag = newBranch().slice(-12)
  if (method === 'OPTIONS') endpoint.respond(request, 200, 'OK')
  else if (inDialog || method === 'CANCEL') endpoint.respond(request, 481, 'Call/Transaction Does Not Exist')
  else if (method === 'INVITE') endpoint.respond(request, 480, 'Temporarily Unavailable')
  else endpoint.respond(request, 405, 'Method Not Allowed')
}

/** Returns an OPTIONS request that checks whether a trunk is reachable (RFC 3261 11). */
export function createOptionsRequest(endpoint: SipEndpoint, { uri, domain, transport }: Trunk): Request {
  return {
    method: 'OPTIONS',
    uri,
    headers: {
      via: [endpoint.via(transport)],
      'max-forwards': 70,
      from: { uri: `sip:ping@${domain}`, params: { tag: newBranch().slice(-12) } },
      to: { uri, params: {} },
      'call-id': newBranch().slice(7),
      cseq: { seq: 1, method: 'OPTIONS' },
      contact: endpoint.contactOf(transport),
    },
  }
}
