import type { Inspection } from '../inspection.ts'
import { findUnsafePath } from '../kinds/names.ts'
import type { InnerContent, OpenedArchive } from '../opened-archive.ts'
import { malformed, unreadable } from '../refusal.ts'
import { chunksOf, type Source, sliceSource } from '../source.ts'

const block = 512
const largestMeta = 1024 ** 2

/** Opens a tar archive (POSIX pax and ustar, GNU long names). Rejects data after its end, and data without a header. */
export async function openTar(inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> {
  return { holder: 'archive', inners: innersOf(inspection, source, path) }
}

async function* innersOf(inspection: Inspection, source: Source, path: string[]): AsyncGenerator<InnerContent> {
  let meta: Meta = {}
  for (let at = 0; at < source.size; ) {
    const header = readHeader(await source.read(at, at + block))
    if (header === null) return await checkBlank(source, at)
    const size = header.isMeta ? header.size : (meta.size ?? header.size)
    const content = sliceSource(source, at + block, at + block + size)
    if (content.size < size) throw malformed('The archive is truncated.')
    at += block + Math.ceil(size / block) * block
    if (header.isMeta) meta = { ...meta, ...(await readMeta(content, header.flag)) }
    else {
      yield openEntry(inspection, path, meta.path ?? header.name, content)
      meta = {}
    }
  }
}

export function openEntry(inspection: Inspection, path: string[], name: string, content: Source): InnerContent {
  inspection.enter()
  // Absolute paths are common in backups, and every tool removes the leading slash.
  const unsafe = findUnsafePath(name.replace(/^\/+/, ''))
  if (unsafe !== null) inspection.note('suspicious', { code: 'unsafe_name', detail: unsafe }, [...path, name])
  return { names: [name], bytes: content }
}

interface Meta {
  path?: string
  size?: number
}

async function readMeta(content: Source, flag: string): Promise<Meta> {
  if (content.size > largestMeta) throw malformed('A header of the archive is larger than any name.')
  const bytes = await content.read(0, content.size)
  if (flag === 'L') return { path: textAt(bytes, 0, bytes.length) }
  const meta = flag === 'x' || flag === 'X' || flag === 'g' ? paxOf(bytes) : {}
  if (flag === 'g' && (meta.path ?? meta.size) !== undefined)
    throw malformed('A header gives all entries one name or one size. Tools read this in different ways.')
  return meta
}

/** Parses the records `<length> <key>=<value>` of a pax header. Only path and size are used. */
function paxOf(bytes: Buffer): Meta {
  const found: Meta = {}
  for (let at = 0; at < bytes.length; ) {
    const [, digits = '', key = ''] = /^(\d+) ([^=]+)=/.exec(bytes.toString('latin1', at, at + 1000)) ?? []
    const end = at + Number(digits)
    if (digits === '' || end <= at + digits.length || end > bytes.length || bytes[end - 1] !== 0x0a)
      throw malformed('A header of the archive is damaged.')
    const value = bytes.toString('utf8', at + digits.length + 1 + key.length + 1, end - 1)
    if (key.startsWith('GNU.sparse.'))
      throw unreadable('sparse_file', 'An entry is a sparse file, which is not unpacked.')
    if (key === 'path') found.path = value
    if (key === 'size' && !/^\d{1,15}$/.test(value)) throw malformed('A header of the archive is damaged.')
    if (key === 'size') found.size = Number(value)
    at = end
  }
  return found
}

async function checkBlank(source: Source, at: number): Promise<void> {
  for await (const chunk of chunksOf(source, at))
    if (chunk.some((byte) => byte !== 0))
      throw malformed('The archive has data after its end that most tools do not unpack.')
}

interface Header {
  name: string
  size: number
  flag: string
  /** True if the content only describes the next header. */
  isMeta: boolean
}

/** Reads a header block. Returns `null` for a block of zeros. Rejects a wrong checksum. */
function readHeader(header: Buffer): Header | null {
  if (header.every((byte) => byte === 0)) return null
  if (!hasChecksum(header)) throw malformed('A header of the archive is damaged.')
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textAt(header, 345, 155) : ''
  const name = textAt(header, 0, 100)
  const flag = header.toString('latin1', 156, 157)
  const told = numberAt(header, 124, 12)
  if (flag === '1' && told !== 0) throw malformed('A link has data. Some tools unpack it, others read it as entries.')
  if (flag === 'S') throw unreadable('sparse_file', 'An entry is a sparse file, which is not unpacked.')
  // Links, devices and folders have no data, regardless of the size (POSIX, ustar interchange format).
  const size = '123456'.includes(flag) ? 0 : told
  return { name: prefix === '' ? name : `${prefix}/${name}`, size, flag, isMeta: 'xXgLK'.includes(flag) }
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const end = bytes.indexOf(0, at)
  return bytes.toString('utf8', at, end === -1 || end > at + length ? at + length : end)
}

/** Parses an octal number. GNU uses base 256 only for sizes over the limit. */
function numberAt(bytes: Buffer, at: number, length: number): number {
  const text = bytes.toString('latin1', at, at + length).replace(/^[\0\s]+|(?<![\0\s])[\0\s]+$/g, '')
  if (!/^[0-7]*$/.test(text)) throw malformed('A header of the archive is damaged, or a size is too large.')
  return text === '' ? 0 : Number.parseInt(text, 8)
}

/**
 * True if a block contains the sum of its bytes. Old programs calculated this sum with signed bytes. No other content
 * starts with such a block.
 */
export function hasChecksum(header: Buffer): boolean {
  const told = /^[\0\s]*([0-7]{1,8})[\0\s]*$/.exec(header.toString('latin1', 148, 156))?.[1]
  return told !== undefined && isSum(header, Number.parseInt(told, 8))
}

/** True if the most lenient reader accepts a block as a tar header. Python also accepts `0o17`, `1_7` and base 256. */
export function canHaveChecksum(header: Buffer): boolean {
  if (header.length < block) return false
  const field = header.toString('latin1', 148, 156)
  const [text = ''] = field.split('\0')
  const told = [/[0-7]+/.exec(field)?.[0] ?? '', text.replace(/[^0-7]/g, '')].map((digits) =>
    Number.parseInt(digits, 8),
  )
  if (field.startsWith('\x80')) told.push(header.readUIntBE(150, 6))
  return told.some((sum) => isSum(header, sum))
}

function isSum(header: Buffer, told: number): boolean {
  if (header.length < block) return false
  const bytes = Buffer.from(header.subarray(0, block)).fill(' ', 148, 156)
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  const signed = bytes.reduce((total, byte) => total + ((byte << 24) >> 24), 0)
  return [sum, signed].includes(told)
}
