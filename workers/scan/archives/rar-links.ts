import type { Inspection } from '../inspection.ts'
import type { Inner } from '../opened.ts'
import { damaged, unreadable } from '../refusal.ts'
import { chunksOf, memorySource, type Source } from '../source.ts'
import { Numbers } from './rar-numbers.ts'
import { innerOf } from './tar.ts'

/** An entry of a RAR archive (version 5) that has no bytes of its own, and the block that tells of it. */
export interface RarLink {
  name: string
  target: string
  /** A hard link or a copy has the bytes of its target, which is in the archive; any other link leads somewhere. */
  isCopy: boolean
  begin: number
  end: number
}

/** The ways in which an entry is another one: links of Unix, of Windows, junctions, hard links, copies. */
const ways = { first: 1, hardLink: 4, copy: 5 }

/** What the record says that tells of another entry: the way, flags, and the other's name. */
export function readLink(record: Buffer): Pick<RarLink, 'target' | 'isCopy'> {
  const fields = new Numbers(record)
  const way = fields.next()
  fields.next()
  const target = fields.text(fields.next())
  if (way < ways.first || way > ways.copy || !fields.isAtEnd) throw damaged()
  return { target: nameOf(target), isCopy: way === ways.hardLink || way === ways.copy }
}

/** Names are in UTF-8. */
export const nameOf = (latin: string): string => Buffer.from(latin, 'latin1').toString('utf8')

/** An archive without the blocks of its links, of which libarchive makes bytes without end. */
export async function* withoutLinks(source: Source, links: RarLink[]): AsyncGenerator<Buffer> {
  let at = 0
  for (const { begin, end } of links) {
    yield* chunksOf(source, at, begin)
    at = end
  }
  yield* chunksOf(source, at)
}

/** The links as tools unpack them: with the bytes of another entry, of which there are the contents by name, or with a name. */
export function* innersOfLinks(
  inspection: Inspection,
  path: string[],
  links: RarLink[],
  contents: ReadonlyMap<string, Source>,
): Generator<Inner> {
  for (const { name, target, isCopy } of links) {
    const content = isCopy ? contents.get(target) : memorySource(Buffer.from(target))
    if (content === undefined) throw unreadable('unsupported_archive', 'It links to what it does not hold.')
    yield innerOf(inspection, path, name, content)
  }
}
