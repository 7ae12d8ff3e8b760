import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Inspection } from '../inspection.ts'
import { Keeper } from '../keeper.ts'
import type { Inner, Opened } from '../opened.ts'
import { sevenZip as program } from '../packed/seven-zip-program.ts'
import { stage } from '../packed/stage.ts'
import { unpackedBy } from '../packed/unpacker.ts'
import { damaged, unreadable, unsplit } from '../refusal.ts'
import { chunksOf, part, type Source } from '../source.ts'
import { type Listed, longestList, readList } from './seven-zip-list.ts'
import { innerOf } from './tar.ts'

/** Makes what opens archives of a type that 7-Zip reads, by its name for their format. */
export const sevenZip =
  (type: string, format: string) =>
  async (inspection: Inspection, source: Source, path: string[]): Promise<Opened> => {
    return { type, holder: 'archive', inners: sevenZipInners(inspection, source, path, format) }
  }

/** What is in an archive: its contents come one after the other, in the order of its list and no longer than it says. */
export async function* sevenZipInners(
  inspection: Inspection,
  source: Source,
  path: string[],
  format: string,
): AsyncGenerator<Inner> {
  await using keeper = new Keeper(inspection)
  const listed = await unpack(inspection, source, path, format, keeper)
  const contents = await keeper.finish()
  let start = 0
  for (const entry of listed) {
    const end = start + entry.size
    const content = part(contents, start, end)
    await checkSums(content, entry)
    yield innerOf(inspection, path, entry.name, content)
    start = end
  }
}

async function unpack(
  inspection: Inspection,
  source: Source,
  path: string[],
  format: string,
  keeper: Keeper,
): Promise<Listed[]> {
  await using staged = await stage(inspection, source, path)
  const list = await listOf(inspection, staged.path, format)
  const total = list.reduce((sum, { size }) => sum + size, 0)
  inspection.checkExpansion(source.size, total)
  inspection.checkScratch(total)
  for await (const chunk of unpackedBy(program('x', format, '-so', '-bso0'), inspection, staged.path)) {
    if (keeper.size + chunk.length > total) throw unsplit()
    await keeper.add(chunk)
  }
  if (keeper.size !== total) throw unsplit()
  return list
}

async function listOf(inspection: Inspection, path: string, format: string): Promise<Listed[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of unpackedBy(program('l', format, '-slt'), inspection, path)) {
    size += chunk.length
    if (size > longestList) throw unreadable('too_many_entries', 'It has more entries, or longer names, than it may.')
    chunks.push(chunk)
  }
  return readList(Buffer.concat(chunks).toString('utf8'), inspection.entriesLeft)
}

/** Proves that a content is that of its entry, where the archive tells: by its sums, the order of the contents is the list's. */
async function checkSums(content: Source, { sums }: Listed): Promise<void> {
  if (sums.crc32 === undefined && sums.sha1 === undefined) return
  const sha1 = createHash('sha1')
  let crc = 0
  for await (const chunk of chunksOf(content)) {
    crc = crc32(chunk, crc)
    if (sums.sha1 !== undefined) sha1.update(chunk)
  }
  const isCrc = sums.crc32 === undefined || Number.parseInt(sums.crc32, 16) === crc
  const isSha1 = sums.sha1 === undefined || sums.sha1.toLowerCase() === sha1.digest('hex')
  if (!isCrc || !isSha1) throw damaged()
}
