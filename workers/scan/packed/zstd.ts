import { constants, createZstdDecompress } from 'node:zlib'
import type { Inspection } from '../inspection.ts'
import { hasZip } from '../kinds/marks.ts'
import { type OpenedArchive, openWrapper } from '../opened-archive.ts'
import { malformed } from '../refusal.ts'
import { chunksOf, type Source, sliceSource } from '../source.ts'
import { unpackStream } from './inflate.ts'

/** Window size that every decoder must support, as a power of two (RFC 8878, 3.1.1.1.2). */
const windowLog = 23

/** Opens a Zstandard file (RFC 8878). All frames together are one content. */
export async function openZstd(inspection: Inspection, source: Source): Promise<OpenedArchive> {
  return openWrapper(inspection, () => framesOf(inspection, source))
}

async function* framesOf(inspection: Inspection, source: Source): AsyncGenerator<Buffer> {
  let size = 0
  for (let at = 0; at < source.size; ) {
    const skipped = await skippable(source, at)
    if (skipped !== null) {
      at = skipped
      continue
    }
    const passed = { consumed: 0 }
    const unpacker = createZstdDecompress({
      chunkSize: 64 * 1024,
      params: { [constants.ZSTD_d_windowLogMax]: windowLog },
    })
    for await (const chunk of unpackStream(unpacker, sliceSource(source, at, source.size), passed, inspection.signal)) {
      size += chunk.length
      inspection.checkRatio(source.size, size)
      yield chunk
    }
    if (passed.consumed === 0) throw malformed('The archive is truncated.')
    at += passed.consumed
  }
}

/** Returns the end of a skippable frame (RFC 8878, 3.1.2), or `null` for another frame. */
async function skippable(source: Source, at: number): Promise<number | null> {
  const head = await source.read(at, at + 8)
  if (head.length < 8 || (head.readUInt32LE(0) & 0xfffffff0) !== 0x184d2a50) return null
  const end = at + 8 + head.readUInt32LE(4)
  if (end > source.size) throw malformed('The archive is truncated.')
  for await (const chunk of chunksOf(source, at, end))
    if (hasZip(chunk)) throw malformed('The file skips an archive inside it.')
  return end
}
