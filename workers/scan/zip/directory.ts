import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { malformed, split, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import type { End } from './end.ts'

/** One entry as the central directory (APPNOTE 4.3.12) has it. */
export interface Entry {
  /** The bytes of its name, and those of the name that some tools take instead. */
  rawName: Buffer
  rawOtherName: Buffer | null
  name: string
  otherName: string | null
  flags: number
  method: number
  crc: number
  packedSize: number
  size: number
  /** Where its local header begins. */
  start: number
}

const headerSize = 46
const longestName = 4096
const largest = 8 * 1024 ** 2

/** Reads all headers of the directory, which must fill it exactly; `most` is how many entries there may be. */
export async function readDirectory(source: Source, end: End, most: number): Promise<Entry[]> {
  if (end.entries > most)
    throw unreadable('too_many_entries', `The archive has ${end.entries} entries, more than ${most}.`)
  if (end.directorySize > largest)
    throw unreadable('too_many_entries', 'The directory of the archive is larger than 8 MiB.')
  const directory = await source.read(end.directoryStart, end.directoryStart + end.directorySize)
  const entries: Entry[] = []
  let at = 0
  while (entries.length < end.entries) {
    const header = directory.subarray(at)
    entries.push(readHeader(header))
    at += headerSize + header.readUInt16LE(28) + header.readUInt16LE(30) + header.readUInt16LE(32)
  }
  if (at !== end.directorySize) throw malformed('The directory of the archive is larger or smaller than its entries.')
  return entries
}

/** Reads the entry that the rest of a directory begins with. */
function readHeader(header: Buffer): Entry {
  if (header.length < headerSize || header.toString('latin1', 0, 4) !== 'PK\x01\x02')
    throw malformed('The directory of the archive has fewer entries than its end record contains.')
  const nameLength = header.readUInt16LE(28)
  if (nameLength > longestName) throw malformed(`An entry has a name of ${nameLength} bytes.`)
  const nameEnd = headerSize + nameLength
  const rawName = header.subarray(headerSize, nameEnd)
  const fields = extraFields(header.subarray(nameEnd, nameEnd + header.readUInt16LE(30)))
  const other = unicodeName(rawName, fields.get(0x7075))
  const disk = header.readUInt16LE(34)
  if (disk !== 0 && disk !== 0xffff) throw split()
  const widths = { size: header.readUInt32LE(24), packedSize: header.readUInt32LE(20), start: header.readUInt32LE(42) }
  return {
    rawName,
    rawOtherName: other,
    name: nameOf(rawName),
    otherName: other === null ? null : nameOf(other),
    flags: header.readUInt16LE(8),
    method: header.readUInt16LE(10),
    crc: header.readUInt32LE(16),
    ...widened(widths, fields.get(1)),
  }
}

const nameOf = (raw: Buffer): string => raw.toString(isUtf8(raw) ? 'utf8' : 'latin1')

/** The fields of a header that a ZIP64 extra field widens, in the order in which it holds them (APPNOTE 4.5.3). */
export interface Widths {
  size: number
  packedSize: number
  start?: number
}

const none32 = 0xffffffff

/** The fields of an extra area by their id; zeros that pad it, as zipalign writes them, are none. */
export function extraFields(extra: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>()
  let at = 0
  while (at + 4 <= extra.length) {
    const id = extra.readUInt16LE(at)
    const end = at + 4 + extra.readUInt16LE(at + 2)
    if (end > extra.length) break
    if (id === 0 && extra.subarray(at, end).some((byte, index) => byte !== 0 && index !== 2 && index !== 3)) break
    if (id !== 0 && fields.has(id)) throw malformed(`A header has the extra field ${id} twice.`)
    if (id !== 0) fields.set(id, extra.subarray(at + 4, end))
    at = end
  }
  if (extra.subarray(at).some((byte) => byte !== 0)) throw malformed('The extra fields of a header do not fit into it.')
  return fields
}

/** The sizes, and the place in a directory's header, as a ZIP64 extra field has them where the header has no room. */
export function widened<T extends Widths>(header: T, field: Buffer | undefined): T {
  const keys = (['size', 'packedSize', 'start'] as const).filter((key) => key in header)
  const missing = keys.filter((key) => header[key] === none32)
  if (field === undefined) {
    if (missing.length > 0) throw malformed('A header has no ZIP64 field.')
    return header
  }
  const held = missing.length > 0 ? missing : keys.slice(0, Math.floor(field.length / 8))
  if (field.length < held.length * 8) throw malformed('A ZIP64 field is too short.')
  // Some tools take a longer one to hold all that it may, and others only what the header lacks.
  if (missing.length > 0 && field.length > held.length * 8 + 4) throw malformed('A ZIP64 field is too long.')
  const values = held.map((key, index) => [key, Number(field.readBigUInt64LE(index * 8))] as const)
  // A field that widens nothing may only repeat: some tools read it all the same.
  if (missing.length === 0 && values.some(([key, value]) => header[key] !== value))
    throw malformed('A ZIP64 field contradicts its header.')
  return { ...header, ...Object.fromEntries(values) }
}

/** The name of a Unicode path field (0x7075), which Info-ZIP and 7-Zip take instead of the header's; null without one. */
export function unicodeName(name: Buffer, field: Buffer | undefined): Buffer | null {
  if (field === undefined || field.length < 5 || field.readUInt32LE(1) !== crc32(name)) return null
  return field.subarray(5)
}
