import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fits, type PictureSize } from './picture-size.ts'
import { readVp8Packet } from './vp8-packet.ts'

/**
 * Decides which packets of a slot are decoded: once a key frame is larger than `largestPicture`, or hides its size, none, until a
 * smaller one comes. A source (SSRC) begins with a gate that is open.
 */
export class PictureGate {
  #ssrc: number | undefined
  #isOpen = true
  readonly #refused: (size: PictureSize | undefined) => void

  /** `refused` is called as the gate closes, with the picture's size where it is known. */
  constructor(refused: (size: PictureSize | undefined) => void) {
    this.#refused = refused
  }

  /** Whether a packet may pass. */
  lets(packet: Buffer): boolean {
    const read = readVp8Packet(packet)
    if (!read) return false
    if (read.ssrc !== this.#ssrc) this.#isOpen = true
    this.#ssrc = read.ssrc
    if (read.kind === 'other') return this.#isOpen
    const size = read.kind === 'key' ? read.size : undefined
    const wasOpen = this.#isOpen
    this.#isOpen = size !== undefined && fits(size)
    if (wasOpen && !this.#isOpen) this.#refused(size)
    return this.#isOpen
  }
}

/** Opens a port of loopback from which what a gate lets through goes on to another port; returns the port. */
export async function openGate(to: number, gate: PictureGate): Promise<number> {
  const [inlet, outlet] = [createSocket('udp4'), createSocket('udp4')]
  // Packets that come before the receiver does are lost, like any other.
  outlet.on('error', () => {})
  outlet.connect(to, '127.0.0.1')
  inlet.bind(0, '127.0.0.1')
  await Promise.all([once(outlet, 'connect'), once(inlet, 'listening')])
  inlet.on('message', (packet) => {
    if (gate.lets(packet)) outlet.send(packet)
  })
  return inlet.address().port
}
