import type { Inspection } from '../inspection.ts'
import { Keeper } from '../keeper.ts'
import type { Inner, Opened } from '../opened.ts'
import { stage } from '../packed/stage.ts'
import { type Unpacker, unpackedBy } from '../packed/unpacker.ts'
import { unreadable, unsplit } from '../refusal.ts'
import { memorySource, part, type Source } from '../source.ts'
import { checkRar } from './rar.ts'
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

/** Opens a plain RAR archive by libarchive's program. */
export async function openRar(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  await checkRar(source)
  return { type: 'application/vnd.rar', holder: 'archive', inners: innersOf(inspection, source, path) }
}

/** Opens a package of RPM by libarchive's program, which hands out what its payload holds. */
export async function openRpm(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  return { type: 'application/x-rpm', holder: 'archive', inners: innersOf(inspection, source, path) }
}

async function* innersOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Inner> {
  // libarchive, which is told no format, would go by this one.
  const tail = await source.read(Math.max(0, source.size - 64 * 1024), source.size)
  if (tail.includes('PK\x05\x06')) throw unreadable('unsupported_archive', 'It ends like a ZIP archive.')
  await using keeper = new Keeper(inspection)
  const total = await unpackToTar(inspection, source, path, keeper)
  const tar = await keeper.finish()
  const isEnded = tar.size >= 1024 && (await tar.read(tar.size - 1024, tar.size)).every((byte) => byte === 0)
  if (!isEnded) throw unreadable('malformed_archive', 'It is not unpacked to its end.')
  const sizes = { files: 0, links: 0 }
  for await (const { name, link, start, end } of entriesOf(tar)) {
    const content = link === null ? part(tar, start, end) : memorySource(Buffer.from(link))
    sizes[link === null ? 'files' : 'links'] += content.size
    yield innerOf(inspection, path, name, content)
  }
  // What is a link for some is a file for others, and its target what is in it.
  if (total !== sizes.files && total !== sizes.files + sizes.links) throw unsplit()
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
