import { isUtf8 } from 'node:buffer'
import { malformed, split, unreadable } from '../refusal.ts'
import { Cursor, type Source } from '../source.ts'
import type { End } from './end.ts'
import { extraFields, unicodeName, widened } from './extra.ts'

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
  if (end.entries > most) throw unreadable('too_many_entries', `It has ${end.entries} entries, more than ${most}.`)
  if (end.directorySize > largest) throw unreadable('too_many_entries', 'Its directory is larger than 8 MiB.')
  const cursor = new Cursor(source, end.directoryStart)
  const entries: Entry[] = []
  while (entries.length < end.entries) entries.push(await readHeader(cursor))
  if (cursor.at !== end.directoryStart + end.directorySize)
    throw malformed('Its directory is larger or smaller than its entries.')
  return entries
}

async function readHeader(cursor: Cursor): Promise<Entry> {
  const header = Buffer.from(await cursor.take(headerSize))
  if (header.length < headerSize || header.toString('latin1', 0, 4) !== 'PK\x01\x02')
    throw malformed('Its directory has fewer entries than its end record says.')
  const nameLength = header.readUInt16LE(28)
  if (nameLength > longestName) throw malformed(`An entry has a name of ${nameLength} bytes.`)
  const rawName = Buffer.from(await cursor.take(nameLength))
  const fields = extraFields(await cursor.take(header.readUInt16LE(30)))
  const other = unicodeName(rawName, fields.get(0x7075))
  cursor.at += header.readUInt16LE(32)
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
