import type { Inspection } from '../inspection.ts'
import { headSize, sniff } from '../kinds/sniff.ts'
import type { Inner, Opened } from '../opened.ts'
import { malformed, unreadable } from '../refusal.ts'
import { chunksOf, part, type Source } from '../source.ts'

const leadSize = 96
/** What the contents of a package are packed by, or what they are where they are not packed. */
const payloads = ['gzip', 'x-bzip2', 'x-xz', 'x-lzma', 'zstd', 'x-cpio'].map((name) => `application/${name}`)

/** Opens a package of RPM: behind its lead and two headers lies one packed cpio archive. */
export async function openRpm(inspection: Inspection, source: Source): Promise<Opened> {
  const signature = await endOfHeader(source, leadSize)
  const start = await endOfHeader(source, Math.ceil(signature / 8) * 8)
  const payload = part(source, start, source.size)
  const kind = sniff(await payload.read(0, headSize))
  if (!payloads.includes(kind?.type ?? ''))
    throw unreadable('unsupported_archive', 'Its contents are packed by a method that is not unpacked here.')
  const inners = async function* (): AsyncGenerator<Inner> {
    inspection.enter()
    yield { names: ['payload'], size: payload.size, source: payload, open: () => chunksOf(payload) }
  }
  return { type: 'application/x-rpm', holder: 'archive', inners: inners() }
}

/** Where a header (magic, the number of its entries, and the bytes of what these point at) ends. */
async function endOfHeader(source: Source, start: number): Promise<number> {
  const head = await source.read(start, start + 16)
  if (head.length < 16 || head.readUInt32BE(0) !== 0x8eade801) throw malformed('One of its headers is damaged.')
  const end = start + 16 + 16 * head.readUInt32BE(8) + head.readUInt32BE(12)
  if (end > source.size) throw malformed('It is cut off.')
  return end
}
