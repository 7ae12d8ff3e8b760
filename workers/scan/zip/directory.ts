import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'
import { malformed, split, unreadable } from '../refusal.ts'
import type { Source } from '../source.ts'
import type { End } from './end.ts'

export interface Entry {
  /** Raw bytes of the name, and of the name that some tools use instead. */
  rawName: Buffer
  rawOtherName: Buffer | null
  name: string
  otherName: string | null
  flags: number
  method: number
  crc: number
  packedSize: number
  size: number
  start: number
}

const headerSize = 46
const longestName = 4096
const largest = 8 * 1024 ** 2

/**
 * Reads all headers of the directory. They must fill the directory exactly. `most` is the maximum number of entries.
 */
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
    ...applyZip64(widths, fields.get(1)),
  }
}

const nameOf = (raw: Buffer): string => raw.toString(isUtf8(raw) ? 'utf8' : 'latin1')

/** Header fields that a ZIP64 extra field widens, in the order of that field (APPNOTE 4.5.3). */
export interface Widths {
  size: number
  packedSize: number
  start?: number
}

const none32 = 0xffffffff

/** Returns the extra fields by ID. Ignores zeros as padding, which zipalign writes. */
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

/** Returns sizes and position. If they do not fit in the header, uses the ZIP64 extra field. */
export function applyZip64<T extends Widths>(header: T, field: Buffer | undefined): T {
  const keys = (['size', 'packedSize', 'start'] as const).filter((key) => key in header)
  const missing = keys.filter((key) => header[key] === none32)
  if (field === undefined) {
    if (missing.length > 0) throw malformed('A header has no ZIP64 field.')
    return header
  }
  const held = missing.length > 0 ? missing : keys.slice(0, Math.floor(field.length / 8))
  if (field.length < held.length * 8) throw malformed('A ZIP64 field is too short.')
  // Some tools expect a longer field to contain all values. Other tools expect only the missing values.
  if (missing.length > 0 && field.length > held.length * 8 + 4) throw malformed('A ZIP64 field is too long.')
  const values = held.map((key, index) => [key, Number(field.readBigUInt64LE(index * 8))] as const)
  // A field that widens no value must repeat the header, because some tools read the field anyway.
  if (missing.length === 0 && values.some(([key, value]) => header[key] !== value))
    throw malformed('A ZIP64 field contradicts its header.')
  return { ...header, ...Object.fromEntries(values) }
}

/**
 * Returns the name of a Unicode path field (0x7075). Info-ZIP and 7-Zip prefer this name to the header's. Returns
 * `null` if there is none.
 */
export function unicodeName(name: Buffer, field: Buffer | undefined): Buffer | null {
  if (field === undefined || field.length < 5 || field.readUInt32LE(1) !== crc32(name)) return null
  return field.subarray(5)
}
