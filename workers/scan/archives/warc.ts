import type { Inspection } from '../inspection.ts'
import type { Inner, Opened } from '../opened.ts'
import { malformed } from '../refusal.ts'
import { Cursor, chunksOf, part, type Source } from '../source.ts'

const longestHeader = 64 * 1024
const blankLine = '\r\n\r\n'

/** Opens a web archive (WARC, ISO 28500): what was fetched of each address, without the header by which it came. */
export async function openWarc(inspection: Inspection, source: Source): Promise<Opened> {
  return { type: 'application/warc', holder: 'archive', inners: recordsOf(inspection, source) }
}

async function* recordsOf(inspection: Inspection, source: Source): AsyncGenerator<Inner> {
  const cursor = new Cursor(source)
  while (cursor.at < source.size) {
    inspection.enter()
    const header = await headerAt(cursor)
    const length = /^Content-Length: *(\d{1,15}) *$/im.exec(header)?.[1]
    if (!/^WARC\/[01]\.\d+\r\n/.test(header) || length === undefined) throw malformed('One of its headers is damaged.')
    const start = cursor.at + header.length
    const end = start + Number(length)
    if (end > source.size) throw malformed('It is cut off.')
    const isHttp = /^Content-Type: *application\/http/im.test(header)
    const content = part(source, isHttp ? await behindHttp(source, start, end) : start, end)
    const name = /^WARC-Target-URI: *<?([^\r\n>]*)/im.exec(header)?.[1] ?? ''
    yield { names: [nameOf(name)], size: content.size, source: content, open: () => chunksOf(content) }
    if ((await source.read(end, end + blankLine.length)).toString('latin1') !== blankLine)
      throw malformed('A record is longer than it says.')
    cursor.at = end + blankLine.length
  }
}

/** A header from its first line to the blank one that ends it, byte for byte a character. */
async function headerAt(cursor: Cursor): Promise<string> {
  const text = (await cursor.peek(longestHeader)).toString('latin1')
  const end = text.indexOf(blankLine)
  return end === -1 ? '' : text.slice(0, end + blankLine.length)
}

async function behindHttp(source: Source, start: number, end: number): Promise<number> {
  const head = await source.read(start, Math.min(end, start + longestHeader))
  const at = head.indexOf(blankLine)
  return at === -1 ? start : start + at + blankLine.length
}

/** The path of an address, as the file is called that tools make of it. */
const nameOf = (uri: string) => uri.replace(/^[a-z+]+:\/\/[^/]*\/?/i, '').replace(/[?#].*$/, '')
