import type { FrameSize } from './picture-size.ts'

/**
 * Content of an RTP packet with VP8. `key`: the complete head of a key frame with its size. Otherwise the start of a
 * key frame whose head is incomplete or forged, or other video data. Undefined for other packets.
 */
export type Vp8Packet =
  | { ssrc: number; kind: 'key'; size: FrameSize }
  | { ssrc: number; kind: 'headless' }
  | { ssrc: number; kind: 'other' }

/** Size in bytes of the head of a key frame: its tag, start code and frame size (RFC 6386, 9.1). */
const headBytes = 10

const startCode = 0x9d012a

/** Bit mask for one side of a frame, without the two scaling bits. */
const sideBits = 0x3fff

/** Reads a packet (RFC 3550, 5.1; RFC 7741, 4.2) in the same way as `rtpvp8depay`. */
export function readVp8Packet(packet: Buffer): Vp8Packet | undefined {
  const payload = payloadOf(packet)
  const frame = payload && frameOf(payload)
  if (!payload || !frame || frame.length === 0) return undefined
  const ssrc = packet.readUInt32BE(8)
  const [descriptor = 0] = payload
  const begins = (descriptor & 0x10) !== 0 && (descriptor & 0x07) === 0
  const isInterFrame = ((frame[0] ?? 0) & 1) !== 0
  if (!begins || isInterFrame) return { ssrc, kind: 'other' }
  if (frame.length < headBytes || frame.readUIntBE(3, 3) !== startCode) return { ssrc, kind: 'headless' }
  const size = { width: frame.readUInt16LE(6) & sideBits, height: frame.readUInt16LE(8) & sideBits }
  return size.width > 0 && size.height > 0 ? { ssrc, kind: 'key', size } : { ssrc, kind: 'headless' }
}

function payloadOf(packet: Buffer): Buffer | undefined {
  const [flags = 0] = packet
  if (packet.length < 12 || flags >> 6 !== 2) return undefined
  let start = 12 + 4 * (flags & 0x0f)
  if (flags & 0x10) {
    if (packet.length < start + 4) return undefined
    start += 4 + 4 * packet.readUInt16BE(start + 2)
  }
  const padding = flags & 0x20 ? (packet.at(-1) ?? 0) : 0
  return start < packet.length - padding ? packet.subarray(start, packet.length - padding) : undefined
}

/** Returns the data after the payload descriptor. The flags of the descriptor determine its length. */
function frameOf(payload: Buffer): Buffer {
  const [first = 0, extensions = 0, pictureId = 0] = payload
  let start = 1
  if (first & 0x80) {
    start += 1
    if (extensions & 0x80) start += pictureId & 0x80 ? 2 : 1
    if (extensions & 0x40) start += 1
    if (extensions & 0x30) start += 1
  }
  return payload.subarray(start)
}
