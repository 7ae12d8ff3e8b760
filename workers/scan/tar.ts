import type { Inspection } from './inspection.ts'
import { unsafePath } from './names.ts'
import type { Inner, Opened } from './opened.ts'
import { malformed } from './refusal.ts'
import { chunksOf, part, type Source } from './source.ts'
import { readHeader, textAt } from './tar-header.ts'

const block = 512
const largestMeta = 1024 ** 2

/** Opens a tar archive (POSIX pax and ustar, GNU long names): refuses what follows its end, and what a header does not describe. */
export async function openTar(inspection: Inspection, source: Source, path: string[]): Promise<Opened> {
  return { type: 'application/x-tar', holder: 'archive', inners: innersOf(inspection, source, path) }
}

async function* innersOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<Inner> {
  let meta: { path?: string; size?: number } = {}
  for (let at = 0; at < source.size; ) {
    const header = await source.read(at, at + block)
    if (isBlank(header)) return await checkBlank(source, at)
    const type = readHeader(header)
    const isMeta = 'xLKg'.includes(type.flag)
    const data = { start: at + block, end: at + block + (isMeta ? type.size : (meta.size ?? type.size)) }
    if (data.end > source.size) throw malformed('It is cut off.')
    at = data.start + Math.ceil((data.end - data.start) / block) * block
    if (isMeta) {
      if (type.flag !== 'g') meta = { ...meta, ...(await readMeta(source, type.flag, data)) }
      continue
    }
    inspection.enter()
    const name = meta.path ?? type.name
    meta = {}
    const unsafe = unsafePath(name.replace(/^\/+/, ''))
    if (unsafe !== null) inspection.note('suspicious', { code: 'unsafe_name', detail: unsafe }, [...path, name])
    const content = part(source, data.start, data.end)
    yield { name, size: content.size, source: content, open: () => chunksOf(content) }
  }
}

async function readMeta(source: Source, flag: string, data: { start: number; end: number }) {
  if (data.end - data.start > largestMeta) throw malformed('One of its headers is larger than any name.')
  const bytes = await source.read(data.start, data.end)
  if (flag === 'L') return { path: textAt(bytes, 0, bytes.length) }
  return flag === 'K' ? {} : paxOf(bytes)
}

/** The records `<length> <key>=<value>\n` of a pax header; the path and the size count here. */
function paxOf(bytes: Buffer): { path?: string; size?: number } {
  const found: { path?: string; size?: number } = {}
  for (let at = 0; at < bytes.length; ) {
    const [, digits = '', key = ''] = /^(\d+) ([^=]+)=/.exec(bytes.toString('latin1', at, at + 200)) ?? []
    const end = at + Number(digits)
    if (digits === '' || end <= at + digits.length || end > bytes.length) throw malformed('One of its headers is damaged.')
    const value = bytes.toString('utf8', at + digits.length + 1 + key.length + 1, end - 1)
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
