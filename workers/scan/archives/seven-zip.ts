import type { Inspection } from '../inspection.ts'
import { Keeper } from '../keeper.ts'
import type { Inner, Opened } from '../opened.ts'
import { type Unpacker, unpackedBy } from '../packed/unpacker.ts'
import { unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import { innersOfList, type Listed } from './listed.ts'
import { readList } from './seven-zip-list.ts'

/**
 * 7-Zip (7zz) on an archive of a format, which it takes for no other; says faults alone. It looks for a password at its standard input,
 * which is the archive, unless it is given one.
 */
export const sevenZip = (command: 'l' | 'x', format: string, ...args: string[]): Unpacker => ({
  program: '7zz',
  args: [command, ...args, `-t${format}`, '-pnone', '-mmt1', '-sccUTF-8', '-bd', '-bse2', '-bsp0', '--', '/dev/stdin'],
})

/** Makes what opens archives of a format that 7-Zip reads, by its name for it. */
export const bySevenZip =
  (format: string) =>
  async (inspection: Inspection, source: Source, path: string[]): Promise<Opened> => {
    return { holder: 'archive', inners: sevenZipInners(inspection, source, path, format) }
  }

/** What is in an archive of a format that 7-Zip reads. */
export async function* sevenZipInners(
  inspection: Inspection,
  source: Source,
  path: string[],
  format: string,
): AsyncGenerator<Inner> {
  await using copy = new Keeper(inspection)
  const packed = { path: await copy.stage(source, path), size: source.size }
  const list = await listOf(inspection, packed.path, format)
  yield* innersOfList(inspection, path, packed, list, sevenZip('x', format, '-so', '-bso0'))
}

/** Bytes of a list, at most: names of 10,000 entries are shorter by far. */
const longestList = 16 * 1024 ** 2

async function listOf(inspection: Inspection, path: string, format: string): Promise<Listed[]> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of unpackedBy(sevenZip('l', format, '-slt'), inspection, path)) {
    size += chunk.length
    if (size > longestList) throw unreadable('too_many_entries', 'It has more entries, or longer names, than it may.')
    chunks.push(chunk)
  }
  return readList(Buffer.concat(chunks).toString('utf8'))
}
