import type { Inspection } from '../inspection.ts'
import { unsafePath } from '../kinds/names.ts'
import type { Inner, Opened } from '../opened.ts'
import { malformed, unreadable } from '../refusal.ts'
import { Cursor, chunksOf, part, type Source } from '../source.ts'
import { readHeader, textAt } from './tar-header.ts'

const block = 512
const largestMeta = 1024 ** 2

/** Opens a tar archive (POSIX pax and ustar, GNU long names): refuses what follows its end, and what a header does not describe. */
export async function openTar(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  return { holder: 'archive', inners: innersOf(inspection, source, path) }
}

async function* innersOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Inner> {
  for await (const { name, start, end } of entriesOf(source))
    yield innerOf(inspection, path, name, part(source, start, end))
}

/** Counts an entry, looks at its name, and hands it out with its bytes. */
export function innerOf(inspection: Inspection, path: string[], name: string, content: Source): Inner {
  inspection.enter()
  // An absolute path is usual in a backup, and every tool takes the slash away.
  const unsafe = unsafePath(name.replace(/^\/+/, ''))
  if (unsafe !== null) inspection.note('suspicious', { code: 'unsafe_name', detail: unsafe }, [...path, name])
  return { names: [name], bytes: content }
}

interface Range {
  start: number
  end: number
}

/** What is in a tar archive, and where. */
interface Entry extends Range {
  name: string
}

/** Every entry of a tar archive in its order. */
async function* entriesOf(source: Source): AsyncGenerator<Entry> {
  const cursor = new Cursor(source)
  let meta: Meta = {}
  while (cursor.at < source.size) {
    const header = readHeader(await cursor.peek(block))
    if (header === null) return await checkBlank(source, cursor.at)
    const start = cursor.at + block
    const size = header.isMeta ? header.size : (meta.size ?? header.size)
    const range = { start, end: start + size }
    if (range.end > source.size) throw malformed('It is cut off.')
    cursor.at = start + Math.ceil(size / block) * block
    if (header.isMeta) {
      meta = { ...meta, ...(await readMeta(source, header.flag, range)) }
      continue
    }
    yield { name: meta.path ?? header.name, ...range }
    meta = {}
  }
}

/** What a header before another one says of that other's content. */
interface Meta {
  path?: string
  size?: number
}

async function readMeta(source: Source, flag: string, { start, end }: Range): Promise<Meta> {
  if (end - start > largestMeta) throw malformed('One of its headers is larger than any name.')
  const bytes = await source.read(start, end)
  if (flag === 'L') return { path: textAt(bytes, 0, bytes.length) }
  const meta = flag === 'x' || flag === 'X' || flag === 'g' ? paxOf(bytes) : {}
  if (flag === 'g' && (meta.path ?? meta.size) !== undefined)
    throw malformed('A header gives all entries one name or one size, which only some tools go by.')
  return meta
}

/** The records `<length> <key>=<value>\n` of a pax header; the path and the size count here. */
function paxOf(bytes: Buffer): Meta {
  const found: Meta = {}
  for (let at = 0; at < bytes.length; ) {
    const [, digits = '', key = ''] = /^(\d+) ([^=]+)=/.exec(bytes.toString('latin1', at, at + 1000)) ?? []
    const end = at + Number(digits)
    if (digits === '' || end <= at + digits.length || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw malformed('One of its headers is damaged.')
    const value = bytes.toString('utf8', at + digits.length + 1 + key.length + 1, end - 1)
    if (key.startsWith('GNU.sparse.'))
      throw unreadable('sparse_file', 'An entry is a file with holes, which is not put together here.')
    if (key === 'path') found.path = value
    if (key === 'size' && !/^\d{1,15}$/.test(value)) throw malformed('One of its headers is damaged.')
    if (key === 'size') found.size = Number(value)
    at = end
  }
  return found
}

async function checkBlank(source: Source, at: number): Promise<void> {
  for await (const chunk of chunksOf(source, at))
    if (!isBlank(chunk)) throw malformed('Behind its end stands something that most tools do not unpack.')
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0)
