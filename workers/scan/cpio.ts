import type { Inspection } from './inspection.ts'
import { unsafePath } from './names.ts'
import type { Inner, Opened } from './opened.ts'
import { malformed } from './refusal.ts'
import { Cursor, chunksOf, part, type Source } from './source.ts'

const longestName = 4096
const lastName = 'TRAILER!!!'

/** Opens a cpio archive with headers of text, the old one (POSIX, `odc`) or the new one (SVR4, `newc`), or several such in a row. */
export async function openCpio(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  return { type: 'application/x-cpio', holder: 'archive', inners: entriesOf(inspection, source, path) }
}

async function* entriesOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Inner> {
  const cursor = new Cursor(source)
  while (cursor.at < source.size) {
    const { name, start, end, next } = await readHeader(cursor)
    if (end > source.size) throw malformed('It is cut off.')
    cursor.at = next
    if (name === lastName) {
      if (end > start) throw malformed('Its last entry, which no tool unpacks, has data.')
      await skipBlank(cursor)
      continue
    }
    if (next >= source.size) throw malformed('It is cut off.')
    inspection.enter()
    const unsafe = unsafePath(name.replace(/^\/+/, ''))
    if (unsafe !== null) inspection.note('suspicious', { code: 'unsafe_name', detail: unsafe }, [...path, name])
    const content = part(source, start, end)
    yield { names: [name], size: content.size, source: content, open: () => chunksOf(content) }
  }
}

interface Entry {
  name: string
  start: number
  end: number
  next: number
}

async function readHeader(cursor: Cursor): Promise<Entry> {
  const begin = cursor.at
  const head = (await cursor.peek(110)).toString('latin1')
  const isOld = /^070707[0-7]{70}/.test(head)
  if (!isOld && !/^07070[12][0-9a-f]{104}/i.test(head)) throw malformed('One of its headers is damaged.')
  const length = isOld ? Number.parseInt(head.slice(59, 65), 8) : Number.parseInt(head.slice(94, 102), 16)
  const size = isOld ? Number.parseInt(head.slice(65, 76), 8) : Number.parseInt(head.slice(54, 62), 16)
  if (length < 2 || length > longestName) throw malformed('One of its names is too long.')
  cursor.at += isOld ? 76 : 110
  const bytes = await cursor.take(length)
  if (bytes.indexOf(0) !== length - 1) throw malformed('One of its names does not end where it should.')
  // In the new one names and contents are filled up to a multiple of four bytes from its first.
  const filled = (at: number) => (isOld ? at : begin + Math.ceil((at - begin) / 4) * 4)
  const start = filled(cursor.at)
  return { name: bytes.toString('utf8', 0, length - 1), start, end: start + size, next: filled(start + size) }
}

/** Between archives, and behind the last one, there are zeros only. */
async function skipBlank(cursor: Cursor): Promise<void> {
  for (;;) {
    const bytes = await cursor.peek(512)
    const at = bytes.findIndex((byte) => byte !== 0)
    cursor.at += at === -1 ? bytes.length : at
    if (at !== -1 || bytes.length === 0) return
  }
}
