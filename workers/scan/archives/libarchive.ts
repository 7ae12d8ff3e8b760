import type { Inspection } from '../inspection.ts'
import { Keeper } from '../keeper.ts'
import type { Inner, Opened } from '../opened.ts'
import { stage } from '../packed/stage.ts'
import { type Unpacker, unpackedBy } from '../packed/unpacker.ts'
import { Refusal, unreadable } from '../refusal.ts'
import { memorySource, part, type Source } from '../source.ts'
import { checkNature } from './archive-nature.ts'
import { sevenZipInners } from './seven-zip.ts'
import { entriesOf, innerOf } from './tar.ts'

const bsdtar = (...args: string[]): Unpacker => ({ program: 'bsdtar', args })
/** The contents alone, one after the other. Of folders of RAR there are none, about which it complains at the end of a line. */
const contents = {
  ...bsdtar('-xOf', '-'),
  harmless: /: Can't decompress an entry marked as a directory(: Invalid or incomplete multibyte or wide character)?$/,
}
/** All of it as a tar archive, under the names that it has; nothing is ever unpacked under a name. */
const asTar = bsdtar('-cPf', '-', '--format=pax', '@-')
/** Bytes that the tar archive has beyond the contents, at most: for each entry, and for its end. */
const tarOverhead = { entry: 4096, end: 64 * 1024 }

/** Makes what opens archives of a type that libarchive reads; `format` is 7-Zip's name for it, where that knows methods that libarchive does not. */
export const libarchive =
  (type: string, format?: string) =>
  async (inspection: Inspection, source: Source, path: string[]): Promise<Opened> => {
    await checkNature(type, source)
    const inners = innersOf(inspection, source, path)
    const bySevenZip = () => sevenZipInners(inspection, source, path, format ?? '')
    return { type, holder: 'archive', inners: format === undefined ? inners : orElse(inners, bySevenZip) }
  }

/** All is unpacked before the first is handed out, so that nothing is handed out twice. */
async function* orElse(inners: AsyncGenerator<Inner>, others: () => AsyncGenerator<Inner>): AsyncGenerator<Inner> {
  try {
    yield* inners
  } catch (error) {
    if (!(error instanceof Refusal && error.code === 'unsupported_method')) throw error
    yield* others()
  }
}

async function* innersOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Inner> {
  await using keeper = new Keeper(inspection)
  const total = await unpackToTar(inspection, source, path, keeper)
  const tar = await keeper.finish()
  if (!(await isEnded(tar))) throw unreadable('malformed_archive', 'It is not unpacked to its end.')
  const sizes = { files: 0, links: 0 }
  for await (const { name, link, start, end } of entriesOf(tar)) {
    const content = link === null ? part(tar, start, end) : memorySource(Buffer.from(link))
    sizes[link === null ? 'files' : 'links'] += content.size
    yield innerOf(inspection, path, name, content)
  }
  // Where links are files of some kind, as in 7-Zip's archives, their targets count; what stands in none was left out.
  if (total !== sizes.files && total !== sizes.files + sizes.links)
    throw unreadable('unsupported_archive', 'It holds contents that could not be told apart.')
}

/** A tar archive ends with two blocks of zeros at least. */
async function isEnded(tar: Source): Promise<boolean> {
  const tail = await tar.read(Math.max(0, tar.size - 1024), tar.size)
  return tail.length === 1024 && tail.every((byte) => byte === 0)
}

/**
 * Unpacks an archive twice, whatever it holds, and returns the size of its contents: as a tar archive, in which libarchive's
 * program puts zeros for what is damaged and says nothing, and for that reason alone before, when it says what is wrong.
 */
async function unpackToTar(inspection: Inspection, source: Source, path: string[], keeper: Keeper): Promise<number> {
  await using staged = await stage(inspection, source, path)
  let total = 0
  for await (const { length } of unpackedBy(contents, inspection, staged.path)) {
    total += length
    inspection.checkExpansion(source.size, total)
    inspection.checkScratch(total)
  }
  const most = total + inspection.entriesLeft * tarOverhead.entry + tarOverhead.end
  for await (const chunk of unpackedBy(asTar, inspection, staged.path)) {
    if (keeper.size + chunk.length > most) throw unreadable('too_many_entries', 'It has more entries than it may.')
    await keeper.add(chunk)
  }
  return total
}
