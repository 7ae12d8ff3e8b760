import type { Inspection } from '../inspection.ts'
import { sevenZip } from '../packed/seven-zip-program.ts'
import { stageChunks } from '../packed/stage.ts'
import { unpackedBy } from '../packed/unpacker.ts'
import { chunksOf, type Source } from '../source.ts'
import type { PlacedEntry } from './layout.ts'

/** The methods that 7-Zip knows beside ours (APPNOTE 4.4.5): shrink, implode, Deflate64, bzip2, LZMA, Zstandard, XZ and PPMd. */
export const rewrapped: ReadonlySet<number> = new Set([1, 6, 9, 12, 14, 93, 95, 98])

/** What tells how LZMA ends, and of what parts implode is; the other flags are of no use for one entry, whose sizes are known. */
const methodFlags = 0b110

/** What an entry of one of these methods unpacks to: alone in an archive of its own it is given to 7-Zip. */
export async function* rewrappedBytes(
  inspection: Inspection,
  packed: Source,
  entry: PlacedEntry,
): AsyncGenerator<Buffer> {
  await using staged = await stageChunks(inspection, archiveOf(packed, entry))
  yield* unpackedBy(sevenZip('x', 'zip', '-so'), inspection, staged.path)
}

/** An archive (APPNOTE 4.3) that has this entry alone, under another name. */
async function* archiveOf(packed: Source, entry: PlacedEntry): AsyncGenerator<Buffer> {
  const name = Buffer.from('entry')
  const facts = Buffer.alloc(26)
  facts.writeUInt16LE(63, 0)
  facts.writeUInt16LE(entry.flags & methodFlags, 2)
  facts.writeUInt16LE(entry.method, 4)
  facts.writeUInt32LE(entry.crc, 10)
  facts.writeUInt32LE(packed.size, 14)
  facts.writeUInt32LE(entry.size, 18)
  facts.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, name])
  const directory = Buffer.concat([Buffer.from('PK\x01\x02\x3f\x00'), facts, Buffer.alloc(14), name])
  const end = Buffer.alloc(18)
  end.writeUInt16LE(1, 4)
  end.writeUInt16LE(1, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(local.length + packed.size, 12)
  yield local
  yield* chunksOf(packed)
  yield Buffer.concat([directory, Buffer.from('PK\x05\x06'), end])
}
