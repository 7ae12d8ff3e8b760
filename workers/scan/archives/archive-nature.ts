import type { Family, Kind } from '../kinds/kind.ts'
import { signedAs } from '../kinds/sniff.ts'
import { malformed, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import { checkRar } from './rar.ts'
import { mayHaveChecksum } from './tar-header.ts'

/** What holds other files. */
export const archives: Family[] = ['archive', 'container', 'sealed']
const tar = 'application/x-tar'

/** Refuses what begins like archives of two kinds: the header of a tar archive is bytes of any sort, but for its sum. */
export function checkSingle(head: Buffer, { type }: Kind): void {
  if (type !== tar && mayHaveChecksum(head)) throw malformed('It is a tar archive as well.')
  const isOther = (kind: Kind) => archives.includes(kind.family) && kind.type !== type
  if (signedAs(head).some(isOther)) throw malformed('It is an archive of another kind as well.')
}

const ends: Record<string, (source: Source) => Promise<boolean>> = {
  async 'application/x-7z-compressed'(source) {
    const header = await source.read(0, 32)
    const end = 32n + header.readBigUInt64LE(12) + header.readBigUInt64LE(20)
    return end === BigInt(source.size)
  },
  async 'application/vnd.ms-cab-compressed'(source) {
    const header = await source.read(0, 12)
    return header.length === 12 && header.readUInt32LE(8) === source.size
  },
}

/** Types by which libarchive goes only where nothing at the end of a file speaks of ZIP. */
const afterZip = ['application/vnd.rar', 'application/x-lzh-compressed']

/**
 * Refuses an archive that libarchive, which is told no type, would take for one of another, and one that does not end where its
 * format has it end: nobody says what stands behind it.
 */
export async function checkNature(type: string, source: Source): Promise<void> {
  const tail = await source.read(Math.max(0, source.size - 64 * 1024), source.size)
  if (afterZip.includes(type) && tail.includes('PK\x05\x06', 0, 'latin1'))
    throw unreadable('unsupported_archive', 'It ends like a ZIP archive, for which it would be taken.')
  if (type === 'application/vnd.rar') return await checkRar(source)
  const isWhole = ends[type]
  if (isWhole && !(await isWhole(source)))
    throw unreadable('malformed_archive', 'It is cut off, a part of another, or followed by something else.')
}
