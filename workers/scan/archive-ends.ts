import { unreadable } from './refusal.ts'
import type { Source } from './source.ts'

/** Bytes by which a whole RAR archive of version 4 and of version 5 ends, unless it is a part of one. */
const rarEnds = ['\xc4\x3d\x7b\x00\x40\x07\x00', '\x1d\x77\x56\x51\x03\x05\x04\x00']

const ends: Record<string, (source: Source) => Promise<boolean>> = {
  async 'application/x-7z-compressed'(source) {
    const header = await source.read(0, 32)
    const end = 32n + header.readBigUInt64LE(12) + header.readBigUInt64LE(20)
    return end === BigInt(source.size)
  },
  async 'application/vnd.rar'(source) {
    const tail = (await source.read(Math.max(0, source.size - 8), source.size)).toString('latin1')
    return rarEnds.some((end) => tail.endsWith(end))
  },
  async 'application/vnd.ms-cab-compressed'(source) {
    const header = await source.read(0, 12)
    return header.length === 12 && header.readUInt32LE(8) === source.size
  },
}

/** Refuses an archive that does not end where its format has it end: nobody says what stands behind it. */
export async function checkEnd(type: string, source: Source): Promise<void> {
  const isWhole = ends[type]
  if (isWhole && !(await isWhole(source)))
    throw unreadable('malformed_archive', 'It is cut off, a part of another, or followed by something else.')
}
