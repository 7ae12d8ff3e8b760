import { malformed, split } from '../refusal.ts'
import type { Source } from '../source.ts'

export interface End {
  entries: number
  directoryStart: number
  directorySize: number
}

const signature = Buffer.from('PK\x05\x06', 'latin1')
const recordSize = 22
const recordMarks = ['PK\x01\x02', 'PK\x03\x04', 'PK\x05\x06']
const longestComment = 0xffff
const none16 = 0xffff
const none32 = 0xffffffff

/**
 * Returns the position of an end record that ends exactly with the source, or `null`. Every tool finds such a record.
 */
export async function findEnd(source: Source): Promise<number | null> {
  const start = Math.max(0, source.size - recordSize - longestComment)
  const tail = await source.read(start, source.size)
  for (const at of recordsIn(tail)) if (at + recordSize + tail.readUInt16LE(at + 20) === tail.length) return start + at
  return null
}

function* recordsIn(tail: Buffer): Generator<number> {
  for (let at = tail.lastIndexOf(signature); at >= 0; at = at === 0 ? -1 : tail.lastIndexOf(signature, at - 1))
    if (at + recordSize <= tail.length) yield at
}

export interface EmbeddedArchive {
  start: number
  end: number
}

/**
 * Returns the last archive that has an end record in the last 64 KiB and a directory before it, or `null`. Lenient
 * tools find such an archive.
 */
export async function lastArchive(source: Source): Promise<EmbeddedArchive | null> {
  const tailStart = Math.max(0, source.size - recordSize - longestComment)
  const tail = await source.read(tailStart, source.size)
  for (const at of recordsIn(tail)) {
    const directory = tailStart + at - tail.readUInt32LE(at + 12)
    const head = directory < 0 ? null : await source.read(directory, directory + 4)
    if (head?.toString('latin1') !== 'PK\x01\x02') continue
    const end = tailStart + at + recordSize + tail.readUInt16LE(at + 20)
    return { start: Math.max(0, directory - tail.readUInt32LE(at + 16)), end: Math.min(end, source.size) }
  }
  return null
}

/** Reads the end record and its ZIP64 record. Rejects an ambiguous position of the directory. */
export async function readEnd(source: Source): Promise<End> {
  const at = await findEnd(source)
  if (at === null) throw malformed('The archive has no end record, or data after it.')
  const record = await source.read(at, source.size)
  if (recordMarks.some((mark) => record.includes(mark, 1)))
    throw malformed('The comment of the archive contains records of another archive.')
  if (record.readUInt16LE(4) !== 0 && record.readUInt16LE(4) !== none16) throw split()
  const end = {
    entries: record.readUInt16LE(10),
    directorySize: record.readUInt32LE(12),
    directoryStart: record.readUInt32LE(16),
  }
  const wide = await readWideEnd(source, at)
  if (wide !== null) checkAgree(end, wide)
  if (wide === null && record.readUInt16LE(8) !== end.entries)
    throw malformed('The end record of the archive has two counts of entries.')
  const whole = wide ?? { ...end, start: at }
  if (whole.directoryStart + whole.directorySize !== whole.start)
    throw malformed(
      'The directory of the archive is not at the position in the end record. There is data before, between or after.',
    )
  return whole
}

/** Reads the ZIP64 end record (APPNOTE 4.3.14) from the locator directly before the end record. */
async function readWideEnd(source: Source, at: number): Promise<(End & { start: number }) | null> {
  const locator = await source.read(Math.max(0, at - 20), at)
  if (locator.length < 20 || locator.toString('latin1', 0, 4) !== 'PK\x06\x07') return null
  const start = Number(locator.readBigUInt64LE(8))
  if (locator.readUInt32LE(4) !== 0 || locator.readUInt32LE(16) > 1) throw split()
  if (!(start + 56 <= at - 20)) throw malformed('The ZIP64 locator of the archive has an invalid position.')
  const record = await source.read(start, start + 56)
  if (record.toString('latin1', 0, 4) !== 'PK\x06\x06')
    throw malformed('The ZIP64 locator of the archive does not point to a ZIP64 end record.')
  if (start + 12 + Number(record.readBigUInt64LE(4)) !== at - 20)
    throw malformed('The ZIP64 end record of the archive does not reach its locator.')
  const entries = Number(record.readBigUInt64LE(32))
  if (Number(record.readBigUInt64LE(24)) !== entries)
    throw malformed('The ZIP64 end record of the archive has two counts of entries.')
  return {
    entries,
    directorySize: Number(record.readBigUInt64LE(40)),
    directoryStart: Number(record.readBigUInt64LE(48)),
    start,
  }
}

function checkAgree(end: End, wide: End): void {
  const agree =
    (end.entries === none16 || end.entries === wide.entries) &&
    (end.directorySize === none32 || end.directorySize === wide.directorySize) &&
    (end.directoryStart === none32 || end.directoryStart === wide.directoryStart)
  if (!agree) throw malformed('The end record and the ZIP64 end record describe different directories.')
}
