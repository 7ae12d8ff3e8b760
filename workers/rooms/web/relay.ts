import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { asksForKeyFrame, beginsKeyFrame, parametersOf, retyped } from './rtp.ts'

/** Where a track goes on to, on this host; `payload` is the type under which it is wanted there. */
export interface Outlet {
  port: number
  payload?: number | undefined
}

/** Who gets what a relay takes in. */
export interface Receiver {
  audio: Outlet | undefined
  video: Outlet | undefined
  /** It gets nothing before a picture from which a decoder can begin. */
  isWaiting: boolean
}

/** What a relay tells of what it hands on. */
export interface RelayEvents {
  /** A receiver asks for a whole picture. */
  wish(): void
  /** The pictures from this packet on are of another size, or otherwise coded. */
  reshape(): void
  /** The first packet of video has come. */
  picture(): void
  /** More comes than it takes; it is closed. */
  flood(): void
}

/** Milliseconds over which it is judged how much comes. */
const weighedMs = 2_000

/** Tries to find two ports beside each other. */
const mostTries = 50

/** Bytes of packets that may wait while this process is busy: two seconds of 4 Mb/s. */
const bufferBytes = 1024 * 1024

/** Hands the tracks of one publisher on to any number of receivers, all on this host. */
export class Relay {
  readonly receivers = new Set<Receiver>()
  /** When the last packet came, in milliseconds of `performance.now()`. */
  lastAt = performance.now()
  /** When the last packet of pictures came; undefined before the first. */
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
    audio[1].on('message', () => {})
    video[1].on('message', (packet) => {
      if (asksForKeyFrame(packet)) on.wish()
    })
  }

  /** Opens its ports; `bitRate` is what it takes, in bits a second. */
  static async open(on: RelayEvents, bitRate: number): Promise<Relay> {
    const audio = await openPair()
    return new Relay(audio, await openPair(), { on, bitRate })
  }

  /** Where a track is taken in; feedback on it (RTCP) is taken on the port above. */
  port(kind: 'audio' | 'video'): number {
    return this.#sockets[kind].address().port
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.receivers.clear()
    for (const socket of [...Object.values(this.#sockets), ...this.#feedback]) socket.close()
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

  /** What a publisher is asked to send is a wish: each packet costs this process time, and again for each receiver. */
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
    const parameters = parametersOf(packet)
    if (!parameters || this.#parameters?.equals(parameters)) return
    const isChange = this.#parameters !== undefined
    this.#parameters = Buffer.from(parameters)
    if (isChange) this.#on.reshape()
  }
}

function typed(packet: Buffer, payload: number | undefined, copies: Map<number, Buffer>): Buffer {
  if (payload === undefined) return packet
  const known = copies.get(payload) ?? retyped(packet, payload)
  copies.set(payload, known)
  return known
}

/** A port, and the one above it, by which RTCP comes (RFC 3550 11). */
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
  // Addresses are never looked up, which a socket does with each packet otherwise.
  const socket = createSocket({
    type: 'udp4',
    recvBufferSize: bufferBytes,
    lookup: (host, _, give) => give(null, host, 4),
  })
  // It may be told at once.
  const listening = once(socket, 'listening')
  socket.bind(port, '127.0.0.1')
  await listening
  // Receivers that have gone refuse packets, which is no fault.
  return socket.on('error', () => {})
}
