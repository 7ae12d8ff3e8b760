import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Inspection } from '../inspection.ts'
import type { InnerContent } from '../opened-archive.ts'
import { type Unpacker, unpackWith } from '../packed/unpacker.ts'
import { damaged, unreadable } from '../refusal.ts'
import { chunksOf, type Source, sliceSource } from '../source.ts'
import { Spool } from '../spool.ts'
import { openEntry } from './tar.ts'

export interface ListedEntry {
  name: string
  size: number
  /** Checksums in the archive: CRC-32, and SHA-1 in hex. */
  crc32?: number | undefined
  sha1?: string | undefined
}

/** Yields the contents of an archive that a program unpacks, one after another. Order and sizes must match the list. */
export async function* openListedEntries(
  inspection: Inspection,
  source: Source,
  path: string[],
  listOf: (packed: string) => Promise<ListedEntry[]>,
  unpacker: Unpacker,
): AsyncGenerator<InnerContent> {
  await using copy = new Spool(inspection)
  const packed = await copy.stage(source, path)
  const list = await listOf(packed)
  if (list.length > inspection.entriesLeft) throw unreadable('too_many_entries', 'The archive has too many entries.')
  const total = list.reduce((sum, { size }) => sum + size, 0)
  inspection.checkExpansion(source.size, total)
  inspection.checkScratch(total)
  await using keeper = new Spool(inspection)
  for await (const chunk of unpackWith(unpacker, inspection, packed)) {
    if (keeper.size + chunk.length > total) throw apart()
    await keeper.add(chunk)
  }
  if (keeper.size !== total) throw apart()
  const contents = await keeper.finish()
  let start = 0
  for (const entry of list) {
    const content = sliceSource(contents, start, start + entry.size)
    await checkSums(content, entry)
    yield openEntry(inspection, path, entry.name, content)
    start += entry.size
  }
}

const apart = () => unreadable('unsupported_archive', 'The archive does not show where its entries start and end.')

/**
 * Checks that the content belongs to its entry, if the archive has checksums. Contents must be in the order of the
 * list.
 */
export async function checkSums(content: Source, told: Pick<ListedEntry, 'crc32' | 'sha1'>): Promise<void> {
  if (told.crc32 === undefined && told.sha1 === undefined) return
  const sha1 = createHash('sha1')
  let crc = 0
  for await (const chunk of chunksOf(content)) {
    crc = crc32(chunk, crc)
    if (told.sha1 !== undefined) sha1.update(chunk)
  }
  if (told.crc32 !== undefined && told.crc32 !== crc) throw damaged()
  if (told.sha1 !== undefined && told.sha1.toLowerCase() !== sha1.digest('hex')) throw damaged()
}
