import { BadImageError } from '../watermarks/bad-image.ts'

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString('latin1', from, to)

export const isWebp = (bytes: Buffer): boolean => text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 12) === 'WEBP'

/** Returns the size of a still WebP image (RFC 9649). Throws `BadImageError` for animations and incomplete files. */
export function webpSize(bytes: Buffer): { width: number; height: number } {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 !== bytes.length)
    throw new BadImageError('must be a complete WebP image, without further bytes')
  const kind = text(bytes, 12, 16)
  if (kind === 'VP8X') {
    if ((bytes[20] ?? 0) & 0x02) throw new BadImageError('must not be animated')
    return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) }
  }
  if (kind === 'VP8L') {
    const bits = bytes.readUInt32LE(21)
    return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) }
  }
  if (kind === 'VP8 ') return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
  throw new BadImageError('must be a WebP image')
}
