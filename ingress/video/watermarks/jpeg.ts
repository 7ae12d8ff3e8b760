import { BadImageError } from './bad-image.ts'

export const isJpeg = (bytes: Buffer): boolean => bytes[0] === 0xff && bytes[1] === 0xd8

const endOfImage = 0xd9
const startOfScan = 0xda

/** Returns the width and height of a complete JPEG with no other bytes (ITU-T T.81 §B.1). Throws `BadImageError`. */
export function jpegSize(bytes: Buffer): { width: number; height: number } {
  const segments = [...segmentsOf(bytes)]
  const frame = segments.find(({ marker }) => isFrame(marker))?.data
  const last = segments.at(-1)
  if (last?.marker !== endOfImage) throw new BadImageError('must be a complete JPEG image')
  if (last.end !== bytes.length) throw new BadImageError('must not have data after the end of the JPEG image')
  if (!frame || frame.length < 6 || !segments.some(({ marker }) => marker === startOfScan)) {
    throw new BadImageError('must be a JPEG image with image data')
  }
  return { height: frame.readUInt16BE(1), width: frame.readUInt16BE(3) }
}

/** True for SOF0 to SOF15, except DHT, JPG and DAC, whose markers are in the same range (table B.1). */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

interface Segment {
  marker: number
  data: Buffer
  end: number
}

/** Returns the marker segments up to EOI, without the coded data of scans. */
function* segmentsOf(bytes: Buffer): Generator<Segment> {
  for (let at = 2; at >= 0 && at + 2 <= bytes.length; ) {
    const segment = segmentAt(bytes, at)
    if (!segment) return
    yield segment
    if (segment.marker === endOfImage) return
    at = segment.marker === startOfScan ? endOfScan(bytes, segment.end) : segment.end
  }
}

function segmentAt(bytes: Buffer, from: number): Segment | undefined {
  let at = from
  // Any number of fill bytes may precede a marker (§B.1.1.2).
  while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++
  const marker = bytes[at + 1]
  if (bytes[at] !== 0xff || !marker) throw new BadImageError('must be an undamaged JPEG image')
  if (marker === endOfImage) return { marker, data: bytes.subarray(at, at), end: at + 2 }
  if (at + 4 > bytes.length) return
  const end = at + 2 + bytes.readUInt16BE(at + 2)
  return end > bytes.length || end < at + 4 ? undefined : { marker, data: bytes.subarray(at + 4, end), end }
}

/**
 * Returns the position of the next marker that is neither an escaped 0xFF nor a restart. Returns -1 if there is none.
 */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1]
    if (next !== undefined && next !== 0x00 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return -1
}
