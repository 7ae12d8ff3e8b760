import type { Dialog } from '#sql/voice/legs.ts'
import { allowedMethods, newBranch, type SipEndpoint } from './endpoint.ts'
import type { Transport } from './peer.ts'
import type { Request } from './sip/library.ts'

export function createRequest(
  endpoint: SipEndpoint,
  dialog: Dialog,
  {
    method,
    content,
    seq,
    transport,
    more = {},
  }: { method: string; content: string; seq: number; transport: Transport; more?: Readonly<Record<string, string>> },
): Request {
  const branch = newBranch()
  if (method === 'INVITE') dialog.branch = branch
  const headers: Request['headers'] = {
    via: [endpoint.via(transport, branch)],
    'max-forwards': 70,
    from: { uri: dialog.local_uri, params: { tag: dialog.local_tag } },
    to: { uri: dialog.remote_uri, params: dialog.remote_tag ? { tag: dialog.remote_tag } : {} },
    'call-id': dialog.call_id,
    cseq: { seq, method },
    contact: endpoint.contactOf(transport),
    allow: allowedMethods,
    ...more,
    ...(dialog.routes.length > 0 && { route: dialog.routes.map((uri) => ({ uri, params: {} })) }),
    ...(content && { 'content-type': 'application/sdp' }),
  }
  return { method, uri: dialog.target, headers, content }
}

/**
 * Returns the CANCEL of an INVITE. Everything except the method is equal to the INVITE, including the branch (RFC 3261
 * 9.1).
 */
export function createCancel({ uri, headers }: Request): Request {
  const { via, from, to, cseq, route } = headers
  return {
    method: 'CANCEL',
    uri,
    headers: {
      via: via.slice(0, 1),
      'max-forwards': 70,
      from,
      to,
      'call-id': headers['call-id'],
      cseq: { seq: cseq.seq, method: 'CANCEL' },
      ...(route && { route }),
    },
  }
}
