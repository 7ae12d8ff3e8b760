import type { Inspection } from '../inspection.ts'
import type { OpenedArchive } from '../opened-archive.ts'
import { damaged, encrypted, split, unknown } from '../refusal.ts'
import type { Source } from '../source.ts'
import { type ListedEntry, openListedEntries } from './listing.ts'

/** Writes only the contents, one after another. Folders have no content. bsdtar reports this at the end of a line. */
const bsdtar = {
  program: 'bsdtar' as const,
  args: ['-xOf', '-'],
  harmless: /: Can't decompress an entry marked as a directory(: Invalid or incomplete multibyte or wide character)?$/,
}

export async function openRar(inspection: Inspection, source: Source, path: string[]): Promise<OpenedArchive> {
  const isNew = (await source.read(6, 7))[0] === 1
  const list = await (isNew ? newFiles(source) : oldFiles(source))
  // libarchive detects the format itself and would use this other format.
  const tail = await source.read(Math.max(0, source.size - 64 * 1024), source.size)
  if (tail.includes('PK\x05\x06')) throw unknown()
  return { holder: 'archive', inners: openListedEntries(inspection, source, path, async () => list, bsdtar) }
}

/**
 * Rejects data that different programs read in different ways: links, comments, copies of headers, and all entries that
 * are not files.
 */
const longestHeader = 4096 + 256
const folderOfDos = 0x10
const modes = { mask: 0o170000, file: 0o100000, folder: 0o040000 }

/** Rejects an entry that some programs do not read as a file or folder. Also rejects a folder with data. */
function checkPlain(isDos: boolean, attributes: number, isFolder: boolean, size: number): void {
  const kind = isDos ? ((attributes & folderOfDos) !== 0 ? modes.folder : modes.file) : attributes & modes.mask
  if (kind !== modes.file && kind !== modes.folder) throw unknown()
  if ((isFolder || kind === modes.folder) && size > 0) throw damaged()
}

const old = { main: 0x73, file: 0x74, end: 0x7b, stored: 0x30, ofDos: [0, 1, 2] }

/**
 * Returns the files of version 4. Its blocks (CRC, type, flags, size) follow one another. The data of a file follows
 * its block.
 */
async function oldFiles(source: Source): Promise<ListedEntry[]> {
  const files: ListedEntry[] = []
  let at = 7
  // The oldest archives have no end block.
  for (let type = 0; at < source.size && type !== old.end; ) {
    const head = Buffer.concat([await source.read(at, at + longestHeader), Buffer.alloc(40)])
    const [flags, size] = [head.readUInt16LE(3), head.readUInt16LE(5)]
    type = head.readUInt8(2)
    if (size < 7 || (type === old.main) !== (at === 7)) throw damaged()
    at += size
    if (type === old.file) {
      at += head.readUInt32LE(7)
      files.push(oldFile(head, flags, size))
    } else checkOldBlock(type, flags, size)
  }
  if (at !== source.size) throw damaged()
  return files
}

function checkOldBlock(type: number, flags: number, size: number): void {
  if (type === old.main && (flags & 0x80) !== 0) throw encrypted()
  if (type === old.main && (flags & 1) !== 0) throw split()
  const isPlain = type === old.main ? (flags & 2) === 0 && size === 13 : type === old.end && size <= 20
  if (!isPlain || (flags & 0x8000) !== 0) throw unknown()
}

function oldFile(head: Buffer, flags: number, size: number): ListedEntry {
  if ((flags & 4) !== 0) throw encrypted()
  if ((flags & 3) !== 0) throw split()
  // Rejects comments. Also rejects 64-bit sizes, which mean that a file is larger than allowed.
  if ((flags & 0x108) !== 0 || size < 32 + head.readUInt16LE(26)) throw unknown()
  const [packed, unpacked] = [head.readUInt32LE(7), head.readUInt32LE(11)]
  const isStored = head.readUInt8(25) === old.stored
  if (isStored && packed !== unpacked) throw damaged()
  // libarchive reads unknown methods as if they were these methods.
  if (!isStored && ![29, 36].includes(head.readUInt8(24))) throw unknown()
  checkPlain(old.ofDos.includes(head.readUInt8(15)), head.readUInt32LE(28), (flags & 0xe0) === 0xe0, packed)
  const [name = ''] = head.toString('utf8', 32, 32 + head.readUInt16LE(26)).split('\0')
  return { name, size: unpacked, crc32: head.readUInt32LE(16) }
}

const block = { main: 1, file: 2, encryption: 4, end: 5 }
/** Extra records that contain only the hash, times and owner of a file. */
const harmless = [2, 3, 6]

/**
 * Returns the files of version 5. Its blocks contain a CRC, their size and type, flags, and the sizes of extra records
 * and data.
 */
async function newFiles(source: Source): Promise<ListedEntry[]> {
  const files: ListedEntry[] = []
  let at = 8
  for (let type = 0; type !== block.end; ) {
    const bytes = await source.read(at, at + longestHeader)
    const [length, start] = numberAt(bytes, 4)
    if (start + length > bytes.length) throw damaged()
    const next = reader(bytes.subarray(start, start + length))
    type = next.number()
    if ((type === block.main) !== (at === 8)) throw damaged()
    const flags = next.number()
    const records = (flags & 1) === 0 ? 0 : next.number()
    const size = (flags & 2) === 0 ? 0 : next.number()
    at += start + length + size
    if (type === block.file && (flags & 0x18) === 0) files.push(newFile(next, records, size))
    else checkNewBlock(type, next, records, size)
  }
  if (at !== source.size) throw damaged()
  return files
}

/** The first block can have only the record that lists other records, and this list must be empty. */
function checkNewBlock(type: number, next: Reader, records: number, size: number): void {
  if (type === block.encryption) throw encrypted()
  if (type === block.file) throw split()
  if (size > 0 || (type !== block.main && type !== block.end)) throw unknown()
  if (type === block.end) return
  if ((next.number() & 3) !== 0) throw split()
  if (next.left() !== records) throw damaged()
  if (records > 0 && (next.number() < 3 || next.number() !== 1 || next.number() !== 1 || next.number() !== 0))
    throw unknown()
  if (next.left() > 0) throw unknown()
}

function newFile(next: Reader, records: number, packed: number): ListedEntry {
  const [own, size, attributes] = [next.number(), next.number(), next.number()]
  next.take(own & 2 ? 4 : 0)
  const sum = next.take(own & 4 ? 4 : 0)
  const [, system, nameSize] = [next.number(), next.number(), next.number()]
  const name = next.take(nameSize).toString('utf8')
  if (next.left() !== records || (own & 8) !== 0) throw damaged()
  while (next.left() > 0) {
    const record = reader(next.take(next.number()))
    const type = record.number()
    if (type === 1) throw encrypted()
    if (!harmless.includes(type)) throw unknown()
  }
  checkPlain(system === 0, attributes, (own & 1) !== 0, packed)
  return { name, size, crc32: sum.length === 4 ? sum.readUInt32LE() : undefined }
}

/**
 * Returns a number and its end. Each byte has seven bits of the number, lowest bits first. The eighth bit is set in all
 * bytes except the last.
 */
function numberAt(bytes: Buffer, start: number): [value: number, next: number] {
  let value = 0
  for (let at = start, place = 1; place <= 2 ** 49; at++, place *= 128) {
    const byte = bytes[at]
    if (byte === undefined) break
    value += (byte & 0x7f) * place
    if ((byte & 0x80) === 0) return [value, at + 1]
  }
  throw damaged()
}

type Reader = ReturnType<typeof reader>

function reader(bytes: Buffer) {
  let at = 0
  const take = (length: number) => {
    at += length
    if (at > bytes.length) throw damaged()
    return bytes.subarray(at - length, at)
  }
  const number = () => {
    const [value, next] = numberAt(bytes, at)
    at = next
    return value
  }
  return { left: () => bytes.length - at, take, number }
}
