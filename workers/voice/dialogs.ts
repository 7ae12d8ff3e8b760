import { randomBytes, randomInt } from 'node:crypto'
import type { Dialog } from '#sql/voice/legs.ts'
import { newBranch, type SipEndpoint } from './endpoint.ts'
import { getTransport, withTransport } from './peer.ts'
import { type Headers, type Request, writeUri } from './sip/library.ts'
import { type Trunk, toSipUri } from './trunk.ts'

export function newDialog(number: string, from: string, endpoint: SipEndpoint, trunk: Trunk): Dialog {
  const uri = trunk.uri.replace('sip:', `sip:${number}@`)
  return {
    call_id: randomBytes(16).toString('hex'),
    local_uri: `sip:${from}@${trunk.domain}`,
    local_tag: randomBytes(8).toString('hex'),
    remote_uri: uri,
    remote_tag: null,
    target: uri,
    routes: [],
    cseq: randomInt(1, 10_000),
    branch: newBranch(),
    sent_by: endpoint.sentByOf(trunk.transport),
  }
}

/** Updates a dialog from a 2xx to its INVITE (RFC 3261 12.1.2). */
export function confirmDialog(dialog: Dialog, headers: Headers): void {
  dialog.remote_tag = headers.to.params.tag ?? ''
  dialog.routes = (headers['record-route'] ?? []).map(({ uri }) => writeUri(uri)).reverse()
  retarget(dialog, headers)
}

/** Sets the request target to the Contact of the remote side (RFC 3261 12.2.1.2). */
export function retarget(dialog: Dialog, { contact }: Headers): void {
  const target = Array.isArray(contact) ? toSipUri(contact[0]?.uri) : undefined
  if (target) dialog.target = target
}

/** Returns the next hop of requests: the first recorded route, otherwise the remote side. */
export function getNextHop(dialog: Dialog, { transport, uri }: Trunk): string {
  const hop = withTransport(dialog.routes[0] ?? dialog.target, transport)
  // An encrypted call stays encrypted, even if a Contact requests an unencrypted transport.
  return transport === 'TLS' && getTransport(hop) !== 'TLS' ? uri : hop
}

/** True if a request has the tags of a dialog (RFC 3261 12.2.2). */
export const isWithinDialog = ({ local_tag, remote_tag }: Dialog, { headers: { from, to } }: Request): boolean =>
  to.params.tag === local_tag && from.params.tag === remote_tag
