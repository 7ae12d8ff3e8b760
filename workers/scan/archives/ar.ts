import type { Inspection } from '../inspection.ts'
import type { Inner, Opened } from '../opened.ts'
import { malformed } from '../refusal.ts'
import { Cursor, chunksOf, part, type Source } from '../source.ts'

const headerSize = 60
const longestName = 4096

/** Opens an archive of `ar` (static libraries, packages of Debian), with the long names of GNU and of BSD. */
export async function openAr(inspection: Inspection, source: Source): Promise<Opened> {
  return { type: 'application/x-archive', holder: 'archive', inners: membersOf(inspection, source) }
}

async function* membersOf(inspection: Inspection, source: Source): AsyncGenerator<Inner> {
  const cursor = new Cursor(source, 8)
  let longNames = ''
  while (cursor.at < source.size) {
    inspection.enter()
    const header = (await cursor.take(headerSize)).toString('latin1')
    const told = /^([\s\S]{16})[\s\S]{32}(\d{1,10}) *`\n$/.exec(header)
    if (told === null) throw malformed('One of its headers is damaged.')
    const [, field = '', digits] = told
    const start = cursor.at
    const end = start + Number(digits)
    if (end > source.size) throw malformed('It is cut off.')
    const inName = Number(/^#1\/(\d{1,4}) *$/.exec(field)?.[1] ?? 0)
    if (inName > Math.min(longestName, end - start)) throw malformed('One of its names is longer than its content.')
    if (/^\/\/ /.test(field)) longNames = (await source.read(start, Math.min(end, start + 1024 ** 2))).toString('utf8')
    const name = inName > 0 ? (await source.read(start, start + inName)).toString('utf8') : nameOf(field, longNames)
    const content = part(source, start + inName, end)
    yield { names: [name.replace(/\0+$/, '')], size: content.size, source: content, open: () => chunksOf(content) }
    cursor.at = end + (end % 2)
  }
}

/** The name in a header, or the one in the table that it points into. */
function nameOf(field: string, longNames: string): string {
  const at = /^\/(\d+) *$/.exec(field)?.[1]
  const text = at === undefined ? field.trimEnd() : (longNames.slice(Number(at)).split('\n')[0] ?? '')
  return text.length > 1 ? text.replace(/\/$/, '') : text
}
