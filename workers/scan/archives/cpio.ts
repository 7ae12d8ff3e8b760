import type { Inspection } from '../inspection.ts'
import { unsafePath } from '../kinds/names.ts'
import type { Inner, Opened } from '../opened.ts'
import { malformed } from '../refusal.ts'
import { Cursor, chunksOf, part, type Source } from '../source.ts'
import { readHeader } from './cpio-header.ts'
import { modes } from './file-mode.ts'

const lastName = 'TRAILER!!!'

/** Opens a cpio archive with headers of numbers (the oldest), or of text (POSIX, `odc`; SVR4, `newc`), or several such in a row. */
export async function openCpio(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  return { type: 'application/x-cpio', holder: 'archive', inners: entriesOf(inspection, source, path) }
}

async function* entriesOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Inner> {
  const cursor = new Cursor(source)
  while (cursor.at < source.size) {
    const { name, mode, start, end, next } = await readHeader(cursor)
    if (end > source.size) throw malformed('It is cut off.')
    cursor.at = next
    if (name === lastName) {
      if (end > start) throw malformed('Its last entry, which no tool unpacks, has data.')
      await skipBlank(cursor)
      continue
    }
    if (next >= source.size) throw malformed('It is cut off.')
    const kind = mode & modes.mask
    if (end > start && kind !== modes.file && kind !== modes.link)
      throw malformed('A folder or a device has data, which some tools take for entries.')
    inspection.enter()
    const unsafe = unsafePath(name.replace(/^\/+/, ''))
    if (unsafe !== null) inspection.note('suspicious', { code: 'unsafe_name', detail: unsafe }, [...path, name])
    const content = part(source, start, end)
    yield { names: [name], size: content.size, source: content, open: () => chunksOf(content) }
  }
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
