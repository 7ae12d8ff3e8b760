import { randomBytes, randomInt } from 'node:crypto'
import sip, { type Headers, type Request } from 'sip'
import type { Dialog } from '#sql/voice/legs.ts'
import { newBranch, type SipEndpoint } from './endpoint.ts'
import { transportOf, withTransport } from './peer.ts'
import { type Trunk, uriOf } from './trunk.ts'

/** The dialog with a number that has not been called yet. */
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

/** Has a 2xx to its INVITE make a dialog (RFC 3261 12.1.2). */
export function confirm(dialog: Dialog, headers: Headers): void {
  dialog.remote_tag = headers.to.params.tag ?? ''
  dialog.routes = (headers['record-route'] ?? []).map(({ uri }) => sip.stringifyUri(uri)).reverse()
  retarget(dialog, headers)
}

/** Has requests go to the other side's Contact (RFC 3261 12.2.1.2). */
export function retarget(dialog: Dialog, { contact }: Headers): void {
  const target = Array.isArray(contact) ? uriOf(contact[0]?.uri) : undefined
  if (target) dialog.target = target
}

/** Where requests go: along the route that was recorded, or straight to the other side. */
export function hopOf(dialog: Dialog, { transport, uri }: Trunk): string {
  const hop = withTransport(dialog.routes[0] ?? dialog.target, transport)
  // What is encrypted does not go on in the clear because a Contact says so.
  return transport === 'TLS' && transportOf(hop) !== 'TLS' ? uri : hop
}

/** Whether a request's tags are a dialog's (RFC 3261 12.2.2). */
export const isOf = ({ local_tag, remote_tag }: Dialog, { headers: { from, to } }: Request): boolean =>
  to.params.tag === local_tag && from.params.tag === remote_tag
