import { crc32 } from 'node:zlib'
import type { Inspection } from '../inspection.ts'
import { inflate, inflateAtOnce } from '../packed/inflate.ts'
import { malformed } from '../refusal.ts'
import { part, type Source } from '../source.ts'
import type { PlacedEntry } from './layout.ts'

/** The unpacked bytes of an entry; refuses them as soon as they are other, more or fewer than the directory says. */
export async function* entryBytes(inspection: Inspection, source: Source, entry: PlacedEntry): AsyncGenerator<Buffer> {
  const packed = part(source, entry.dataStart, entry.dataStart + entry.packedSize)
  const passed = { consumed: entry.packedSize }
  // Some writers give a folder the method of its files, and no data.
  const isEmpty = entry.packedSize === 0 && entry.size === 0
  let size = 0
  let crc = 0
  inspection.checkRatio(entry.packedSize, entry.size)
  const unpacked = async () => {
    if (isEmpty) return []
    return (await inflateAtOnce(packed, entry.size, passed)) ?? inflate(packed, passed, inspection.signal)
  }
  for await (const chunk of await unpacked()) {
    size += chunk.length
    if (size > entry.size) throw malformed('An entry unpacks to more than the directory says.')
    crc = crc32(chunk, crc)
    yield chunk
  }
  if (size !== entry.size) throw malformed('An entry unpacks to less than the directory says.')
  if (passed.consumed !== entry.packedSize) throw malformed('The data of an entry end before its size is used up.')
  if (crc !== entry.crc) throw malformed('The CRC of an entry is not that of its data.')
}
