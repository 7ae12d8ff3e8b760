import { type Amf, decodeAmf } from './amf.ts'
import type { Message } from './chunks.ts'

/** Names of video codecs by FourCC (enhanced RTMP) and by number (Video File Format Specification 10.1, E.4.3). */
const names: Readonly<Record<string, string>> = {
  hvc1: 'HEVC (H.265)',
  hev1: 'HEVC (H.265)',
  12: 'HEVC (H.265)',
  av01: 'AV1',
  vp08: 'VP8',
  vp09: 'VP9',
  vvc1: 'VVC (H.266)',
  2: 'Sorenson H.263',
  4: 'VP6',
}

/** Returns the video codec in the metadata if it is known and not H.264. */
export function findForeignCodec({ body }: Message): string | undefined {
  let values: Amf[]
  try {
    values = decodeAmf(body)
  } catch {
    return undefined
  }
  const about = values.find((value) => typeof value === 'object' && value !== null)
  const codec = typeof about === 'object' ? about?.videocodecid : undefined
  if (typeof codec === 'string') return names[codec.toLowerCase()]
  return typeof codec === 'number' ? (names[codec] ?? names[fourCc(codec)]) : undefined
}

function fourCc(number: number): string {
  const bytes = Buffer.alloc(4)
  if (number > 0 && number < 2 ** 32) bytes.writeUInt32BE(Math.floor(number))
  return bytes.toString('latin1')
}
