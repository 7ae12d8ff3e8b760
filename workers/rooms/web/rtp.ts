/** Returns the offset of the payload in an RTP packet (RFC 3550 5.1), or undefined for other data. */
function payloadStart(packet: Buffer): number | undefined {
  if (packet.length < 12 || (packet.readUInt8(0) & 0xc0) !== 0x80) return undefined
  const flags = packet.readUInt8(0)
  const fixed = 12 + 4 * (flags & 0x0f)
  if ((flags & 0x10) === 0) return fixed < packet.length ? fixed : undefined
  if (packet.length < fixed + 4) return undefined
  const start = fixed + 4 + 4 * packet.readUInt16BE(fixed + 2)
  return start < packet.length ? start : undefined
}

/** NAL unit types of a key frame, and of the parameters before it (H.264 table 7-1). */
const [idr, parameters] = [5, 7]

/** Packet types for several units, and for a part of one unit (RFC 6184 5.4). */
const [aggregate, fragment] = [24, 28]

export function beginsKeyFrame(packet: Buffer): boolean {
  const start = payloadStart(packet)
  if (start === undefined) return false
  const type = packet.readUInt8(start) & 0x1f
  if (type === idr || type === parameters) return true
  if (type === fragment && start + 1 < packet.length) {
    const header = packet.readUInt8(start + 1)
    return (header & 0x80) !== 0 && [idr, parameters].includes(header & 0x1f)
  }
  return type === aggregate && holdsKeyFrame(packet, start + 1)
}

function holdsKeyFrame(packet: Buffer, from: number): boolean {
  for (let at = from; at + 2 < packet.length; ) {
    if ([idr, parameters].includes(packet.readUInt8(at + 2) & 0x1f)) return true
    at += 2 + packet.readUInt16BE(at)
  }
  return false
}

/** Returns the parameters (SPS) in an H.264 packet. They determine the frame size of the following video. */
export function readSps(packet: Buffer): Buffer | undefined {
  const start = payloadStart(packet)
  if (start === undefined) return undefined
  const type = packet.readUInt8(start) & 0x1f
  if (type === parameters) return packet.subarray(start)
  if (type !== aggregate) return undefined
  for (let at = start + 1; at + 2 < packet.length; ) {
    const end = at + 2 + packet.readUInt16BE(at)
    if ((packet.readUInt8(at + 2) & 0x1f) === parameters) return packet.subarray(at + 2, end)
    at = end
  }
  return undefined
}

/** Returns a copy of a packet with a different payload type, limited to seven bits. */
export function withPayloadType(packet: Buffer, payload: number): Buffer {
  const copy = Buffer.from(packet)
  copy.writeUInt8((copy.readUInt8(1) & 0x80) | (payload & 0x7f), 1)
  return copy
}

/**
 * RTCP packet type for payload-specific feedback, and its formats that request a key frame (RFC 4585 6.3.1, RFC 5104
 * 4.3.1).
 */
const [feedback, asksForPicture] = [206, [1, 4]]

export function asksForKeyFrame(packet: Buffer): boolean {
  for (let at = 0; at + 4 <= packet.length; ) {
    if (packet.readUInt8(at + 1) === feedback && asksForPicture.includes(packet.readUInt8(at) & 0x1f)) return true
    at += 4 + 4 * packet.readUInt16BE(at + 2)
  }
  return false
}
