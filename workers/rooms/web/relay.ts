import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { asksForKeyFrame, beginsKeyFrame, readSps, withPayloadType } from './rtp.ts'

/** Port on this host that receives a track. `payload` is the payload type that the receiver requires. */
export interface Outlet {
  port: number
  payload?: number | undefined
}

export interface Receiver {
  audio: Outlet | undefined
  video: Outlet | undefined
  /** True until the next key frame. Nothing is sent before it. */
  isWaiting: boolean
  /** Time of the last RTCP packet of the receiver, as returned by `performance.now()`. */
  heardAt?: number
}

export interface RelayEvents {
  wish(): void
  /** From this packet on, the video has another size or coding. */
  reshape(): void
  picture(): void
  /** Called when more data arrives than allowed. The relay is then closed. */
  flood(): void
}

/** Period in milliseconds over which the bit rate is measured. */
const weighedMs = 2_000

const mostTries = 50

/** Size in bytes of the socket buffer for packets that wait while this process is busy: two seconds at 4 Mb/s. */
const bufferBytes = 1024 * 1024

export class Relay {
  readonly receivers = new Set<Receiver>()
  /** Time of the last packet, as returned by `performance.now()`. */
  lastAt = performance.now()
  pictureAt: number | undefined
  readonly #sockets: Record<'audio' | 'video', Socket>
  readonly #feedback: readonly Socket[]

  readonly #on: RelayEvents
  readonly #mostBytes: number
  #parameters: Buffer | undefined
  #weighed = { from: performance.now(), bytes: 0 }
  #closed = false

  private constructor(
    audio: readonly [Socket, Socket],
    video: readonly [Socket, Socket],
    { on, bitRate }: { on: RelayEvents; bitRate: number },
  ) {
    this.#on = on
    this.#mostBytes = (bitRate / 8) * (weighedMs / 1000)
    this.#sockets = { audio: audio[0], video: video[0] }
    this.#feedback = [audio[1], video[1]]
    audio[0].on('message', (packet) => this.#pass('audio', packet))
    video[0].on('message', (packet) => this.#pass('video', packet))
    audio[1].on('message', (_, { port }) => this.#noteHeard(port))
    video[1].on('message', (packet, { port }) => {
      this.#noteHeard(port)
      if (asksForKeyFrame(packet)) on.wish()
    })
  }

  /** Opens the relay's ports. `bitRate` is the accepted bit rate in bits per second. */
  static async open(on: RelayEvents, bitRate: number): Promise<Relay> {
    const audio = await openPair()
    return new Relay(audio, await openPair(), { on, bitRate })
  }

  /** Returns the port that receives a track. The next port receives RTCP feedback. */
  port(kind: 'audio' | 'video'): number {
    return this.#sockets[kind].address().port
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.receivers.clear()
    for (const socket of [...Object.values(this.#sockets), ...this.#feedback]) socket.close()
  }

  /** RTCP comes from the port after the receiver's RTP port (RFC 3550 11). */
  #noteHeard(port: number): void {
    for (const receiver of this.receivers)
      if (receiver.audio?.port === port - 1 || receiver.video?.port === port - 1) receiver.heardAt = performance.now()
  }

  #pass(kind: 'audio' | 'video', packet: Buffer): void {
    this.lastAt = performance.now()
    if (kind === 'video') {
      const isFirst = this.pictureAt === undefined
      this.pictureAt = this.lastAt
      if (isFirst) this.#on.picture()
    }
    if (this.#isFlooded(packet.length)) return
    if (packet.length < 12) return
    if (kind === 'video') this.#look(packet)
    const copies = new Map<number, Buffer>()
    let isKey: boolean | undefined
    for (const receiver of this.receivers) {
      if (receiver.isWaiting) {
        isKey ??= kind === 'video' && beginsKeyFrame(packet)
        if (!isKey) continue
        receiver.isWaiting = false
      }
      const outlet = receiver[kind]
      if (!outlet) continue
      this.#sockets[kind].send(typed(packet, outlet.payload, copies), outlet.port, '127.0.0.1')
    }
  }

  /**
   * Publishers can ignore the requested bit rate. Each packet uses time of this process, and again for each receiver.
   */
  #isFlooded(bytes: number): boolean {
    if (this.#closed) return true
    if (this.lastAt - this.#weighed.from >= weighedMs) this.#weighed = { from: this.lastAt, bytes: 0 }
    this.#weighed.bytes += bytes
    if (this.#weighed.bytes <= this.#mostBytes) return false
    this.close()
    this.#on.flood()
    return true
  }

  #look(packet: Buffer): void {
    const parameters = readSps(packet)
    if (!parameters || this.#parameters?.equals(parameters)) return
    const isChange = this.#parameters !== undefined
    this.#parameters = Buffer.from(parameters)
    if (isChange) this.#on.reshape()
  }
}

function typed(packet: Buffer, payload: number | undefined, copies: Map<number, Buffer>): Buffer {
  if (payload === undefined) return packet
  const known = copies.get(payload) ?? withPayloadType(packet, payload)
  copies.set(payload, known)
  return known
}

/** Opens a port and the next port, which receives RTCP (RFC 3550 11). */
async function openPair(): Promise<readonly [Socket, Socket]> {
  for (let i = 0; i < mostTries; i++) {
    const first = await bound(0)
    const second = await bound(first.address().port + 1).catch(() => undefined)
    if (second) return [first, second]
    first.close()
  }
  throw new Error('No two adjacent UDP ports are free.')
}

async function bound(port: number): Promise<Socket> {
  // Skips the address lookup that a socket otherwise makes for each packet.
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: bufferBytes,
    lookup: (host, _, give) => give(null, host, 4),
  })
  // The event can be emitted immediately.
  const listening = once(socket, 'listening')
  socket.bind(port, '127.0.0.1')
  await listening
  // Receivers that have ended reject packets. This is not an error.
  return socket.on('error', () => {})
}
