import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type FrameSize, isAllowedFrameSize } from './picture-size.ts'
import { readVp8Packet } from './vp8-packet.ts'

/**
 * Decides which packets of a slot are decoded. No packet passes after a key frame that is larger than `maxFrameSize` or
 * hides its size, until a smaller key frame arrives. A new source (SSRC) starts with an open gate.
 */
export class FrameSizeGate {
  #ssrc: number | undefined
  #isOpen = true
  readonly #refused: (size: FrameSize | undefined) => void

  /** `refused` is called when the gate closes, with the frame size of the video if it is known. */
  constructor(refused: (size: FrameSize | undefined) => void) {
    this.#refused = refused
  }

  lets(packet: Buffer): boolean {
    const read = readVp8Packet(packet)
    if (!read) return false
    if (read.ssrc !== this.#ssrc) this.#isOpen = true
    this.#ssrc = read.ssrc
    if (read.kind === 'other') return this.#isOpen
    const size = read.kind === 'key' ? read.size : undefined
    const wasOpen = this.#isOpen
    this.#isOpen = size !== undefined && isAllowedFrameSize(size)
    if (wasOpen && !this.#isOpen) this.#refused(size)
    return this.#isOpen
  }
}

export async function openGate(to: number, gate: FrameSizeGate): Promise<number> {
  const [inlet, outlet] = [createSocket('udp4'), createSocket('udp4')]
  // Packets that arrive before the receiver is ready are lost.
  outlet.on('error', () => {})
  outlet.connect(to, '127.0.0.1')
  inlet.bind(0, '127.0.0.1')
  await Promise.all([once(outlet, 'connect'), once(inlet, 'listening')])
  inlet.on('message', (packet) => {
    if (gate.lets(packet)) outlet.send(packet)
  })
  return inlet.address().port
}
