import { createSocket, type RemoteInfo } from 'node:dgram'
import { createResponse, parseMessage, type Request, writeMessage } from '../../../workers/voice/sip/library.ts'
import { openTone, type Tone } from './tone.ts'

const mostCalls = 40

/** Duration in milliseconds that a phone rings, and maximum duration of a call in milliseconds. */
const [ringMs, longestMs] = [500, 4 * 3_600_000]

interface Telephone {
  tag: string
  tone: Tone | undefined
  timers: NodeJS.Timeout[]
  invite: Request
}

export interface Telephones {
  port: number
  close(): void
}

/**
 * Starts a trunk without a connection to the phone network. For every called number, a phone in this process rings,
 * answers, and plays a tone to listeners on this machine. The trunk supports the required parts of SIP (RFC 3261) over
 * UDP, only on a loopback address.
 */
export async function startTelephones({ host, port }: { host: string; port: number }): Promise<Telephones> {
  const socket = createSocket('udp4')
  const telephones = new Map<string, Telephone>()
  await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(port, host, resolve))

  function answer(request: Request, peer: RemoteInfo, status: number, reason: string, sdp?: string): void {
    const telephone = telephones.get(request.headers['call-id'])
    const response = createResponse(request, status, reason)
    if (telephone && status > 100) response.headers.to.params.tag = telephone.tag
    response.headers.contact = [{ uri: `sip:${host}:${socket.address().port}`, params: {} }]
    if (sdp !== undefined) {
      response.content = sdp
      response.headers['content-type'] = 'application/sdp'
    }
    socket.send(Buffer.from(writeMessage(response), 'latin1'), peer.port, peer.address)
  }

  function hangUp(callId: string): void {
    const telephone = telephones.get(callId)
    telephones.delete(callId)
    for (const timer of telephone?.timers ?? []) clearTimeout(timer)
    telephone?.tone?.close()
  }

  const session = (tone: Tone) =>
    [
      ...['v=0', `o=- ${tone.port} 1 IN IP4 ${host}`, 's=-', `c=IN IP4 ${host}`, 't=0 0'],
      ...[`m=audio ${tone.port} RTP/AVP 8`, 'a=rtpmap:8 PCMA/8000', 'a=sendrecv', ''],
    ].join('\r\n')

  function listen(tone: Tone, sdp = ''): void {
    const listener = Number(/^m=audio (\d{1,5}) /m.exec(sdp)?.[1] ?? 0)
    if (new RegExp(`^c=IN IP4 ${host.replaceAll('.', '\\.')}\\s*$`, 'm').test(sdp) && listener > 1_023)
      tone.sendTo(listener)
  }

  async function invited(request: Request, peer: RemoteInfo): Promise<void> {
    const callId = request.headers['call-id']
    const known = telephones.get(callId)
    if (known) {
      // For a retransmission, or a change of the received audio, the response is the same.
      if (!known.tone) return
      listen(known.tone, request.content)
      return answer(request, peer, 200, 'OK', session(known.tone))
    }
    if (telephones.size >= mostCalls) return answer(request, peer, 486, 'Busy Here')
    const telephone: Telephone = { tag: callId.slice(0, 8) || 'one', tone: undefined, timers: [], invite: request }
    telephones.set(callId, telephone)
    answer(request, peer, 180, 'Ringing')
    const tone = await openTone(host)
    const rung = setTimeout(() => {
      telephone.tone = tone
      listen(tone, request.content)
      answer(request, peer, 200, 'OK', session(tone))
    }, ringMs)
    telephone.timers.push(rung, setTimeout(() => hangUp(callId), longestMs).unref())
    if (!telephones.has(callId)) {
      clearTimeout(rung)
      tone.close()
    }
  }

  function cancel(request: Request, peer: RemoteInfo, telephone: Telephone | undefined): void {
    answer(request, peer, 200, 'OK')
    if (!telephone || telephone.tone) return
    answer(telephone.invite, peer, 487, 'Request Terminated')
    hangUp(request.headers['call-id'])
  }

  function bye(request: Request, peer: RemoteInfo, telephone: Telephone | undefined): void {
    if (telephone) answer(request, peer, 200, 'OK')
    else answer(request, peer, 481, 'Call/Transaction Does Not Exist')
    hangUp(request.headers['call-id'])
  }

  const methods: Record<string, (request: Request, peer: RemoteInfo, telephone: Telephone | undefined) => void> = {
    INVITE: (request, peer) =>
      void invited(request, peer).catch(() => answer(request, peer, 500, 'Server Internal Error')),
    ACK: (request, _, telephone) => void (telephone?.tone && listen(telephone.tone, request.content)),
    OPTIONS: (request, peer) => answer(request, peer, 200, 'OK'),
    BYE: bye,
    CANCEL: cancel,
  }

  function take(request: Request, peer: RemoteInfo): void {
    const method = methods[request.method]
    if (method) method(request, peer, telephones.get(request.headers['call-id']))
    else answer(request, peer, 405, 'Method Not Allowed')
  }

  socket.on('error', () => {})
  socket.on('message', (data, peer) => {
    try {
      const message = parseMessage(data)
      if (message?.method !== undefined) take(message, peer)
    } catch {
      // Data that is not SIP gets no response.
    }
  })
  return {
    port: socket.address().port,
    close() {
      for (const callId of [...telephones.keys()]) hangUp(callId)
      socket.close()
    },
  }
}
