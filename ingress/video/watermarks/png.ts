import { crc32 } from 'node:zlib'
import { BadImageError } from './bad-image.ts'

const magic = Buffer.from('89504e470d0a1a0a', 'hex')

export const isPng = (bytes: Buffer): boolean => bytes.subarray(0, magic.length).equals(magic)

/**
 * Returns the width and height of a complete, still PNG with no other bytes (ISO/IEC 15948 §5). Throws `BadImageError`.
 */
export function pngSize(bytes: Buffer): { width: number; height: number } {
  const chunks = [...chunksOf(bytes)]
  const [header] = chunks
  const last = chunks.at(-1)
  const types = chunks.map(({ type }) => type)
  if (header?.type !== 'IHDR' || header.data.length !== 13 || types.lastIndexOf('IHDR') !== 0) {
    throw new BadImageError('must be a PNG image with a valid header')
  }
  if (last?.type !== 'IEND') throw new BadImageError('must be a complete PNG image')
  if (last.end !== bytes.length) throw new BadImageError('must not have data after the end of the PNG image')
  if (!types.includes('IDAT')) throw new BadImageError('must be a PNG image with image data')
  if (types.includes('acTL')) throw new BadImageError('must be a still image. Animated PNG cannot be a watermark.')
  return { width: header.data.readUInt32BE(0), height: header.data.readUInt32BE(4) }
}

/** Returns the chunks up to IEND: length, type, data, and CRC-32 of type and data (§5.3). */
function* chunksOf(bytes: Buffer): Generator<{ type: string; data: Buffer; end: number }> {
  for (let at = magic.length; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) return
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) {
      throw new BadImageError('must be an undamaged PNG image. A checksum is wrong.')
    }
    const type = bytes.toString('latin1', at + 4, at + 8)
    yield { type, data: bytes.subarray(at + 8, end - 4), end }
    if (type === 'IEND') return
    at = end
  }
}
