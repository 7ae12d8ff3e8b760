import { malformed } from '../refusal.ts'
import type { Source } from '../source.ts'
import { applyZip64, type Entry, extraFields, unicodeName } from './directory.ts'

/** Maximum size in bytes. It is much larger than any signature that signers write. */
const largestSignature = 16 * 1024 ** 2

export interface PlacedEntry extends Entry {
  dataStart: number
}

/**
 * Checks that the entries fill the file from its first byte to the directory without gaps, and match their local
 * headers.
 */
export async function placeEntries(source: Source, entries: Entry[], directoryStart: number): Promise<PlacedEntry[]> {
  const placed: PlacedEntry[] = []
  let at = 0
  for (const entry of entries.toSorted((a, b) => a.start - b.start)) {
    if (entry.start < at) throw malformed('Two entries of the archive overlap.')
    if (entry.start > at) at = await afterFiller(source, at, entry.start)
    const dataStart = await readLocal(source, entry)
    const dataEnd = dataStart + entry.packedSize
    if (dataEnd > directoryStart) throw malformed('An entry overlaps the directory.')
    at = await readDescriptor(source, entry, dataEnd)
    placed.push({ ...entry, dataStart })
  }
  if (at > directoryStart) throw malformed('An entry overlaps the directory.')
  if (at < directoryStart) await checkSigned(source, at, directoryStart)
  return placed
}

/**
 * Returns the end of fillers between entries. Fillers are local headers without name and data, as Android's zipflinger
 * writes them. They contain zeros except for their lengths.
 */
async function afterFiller(source: Source, start: number, end: number): Promise<number> {
  let at = start
  while (at < end) {
    const header = await source.read(at, Math.min(at + 30, end))
    const isFiller =
      header.length === 30 && header.toString('latin1', 0, 4) === 'PK\x03\x04' && isBlank(header.subarray(6, 28))
    const next = isFiller ? at + 30 + header.readUInt16LE(28) : end + 1
    if (next > end || !isBlank(await source.read(at + 30, next)))
      throw malformed('The archive has data between two entries that is not in its directory.')
    at = next
  }
  return at
}

/** Checks that the data before the directory is a complete APK signing block, after less than a page of zeros. */
async function checkSigned(source: Source, start: number, directoryStart: number): Promise<void> {
  const hidden = malformed('The archive has data before its directory that is not in the directory.')
  const foot = await source.read(Math.max(start, directoryStart - 24), directoryStart)
  if (foot.length < 24 || foot.toString('latin1', 8) !== 'APK Sig Block 42') throw hidden
  const size = Number(foot.readBigUInt64LE(0))
  const begin = directoryStart - 8 - size
  if (
    size < 24 ||
    size > largestSignature ||
    begin < start ||
    begin - start >= 4096 ||
    !isBlank(await source.read(start, begin))
  )
    throw hidden
  if (Number((await source.read(begin, begin + 8)).readBigUInt64LE(0)) !== size) throw hidden
}

const isBlank = (bytes: Buffer) => bytes.every((byte) => byte === 0)

const headerSize = 30
const hasDescriptor = 0x0008
const isUtf8 = 0x0800
/** The deflate level does not change how the data is read. */
const meaningful = 0xffff & ~0x0006

/** Checks the local header (APPNOTE 4.3.7) of an entry against the directory. Returns the start of its data. */
export async function readLocal(source: Source, entry: Entry): Promise<number> {
  const header = await source.read(entry.start, entry.start + headerSize)
  if (header.length < headerSize || header.toString('latin1', 0, 4) !== 'PK\x03\x04')
    throw malformed('An entry has no local header at its position in the directory.')
  const nameEnd = entry.start + headerSize + header.readUInt16LE(26)
  const dataStart = nameEnd + header.readUInt16LE(28)
  const name = await source.read(entry.start + headerSize, nameEnd)
  const fields = extraFields(await source.read(nameEnd, dataStart))
  const ignored = name.every((byte) => byte < 0x80) ? isUtf8 : 0
  if (!name.equals(entry.rawName)) throw differs('name')
  const other = unicodeName(name, fields.get(0x7075))
  if (other !== null && !other.equals(entry.rawOtherName ?? entry.rawName)) throw differs('name')
  if (((header.readUInt16LE(6) ^ entry.flags) & meaningful & ~ignored) !== 0) throw differs('flags')
  if (header.readUInt16LE(8) !== entry.method) throw differs('method')
  const sizes = applyZip64({ size: header.readUInt32LE(22), packedSize: header.readUInt32LE(18) }, fields.get(1))
  checkSame(entry, { crc: header.readUInt32LE(14), ...sizes })
  return dataStart
}

/** If a data descriptor follows, CRC and sizes in the local header can be 0 (APPNOTE 4.4.4, bit 3). */
function checkSame(entry: Entry, local: { crc: number; size: number; packedSize: number }): void {
  const isLate = (entry.flags & hasDescriptor) !== 0
  const same = (key: 'crc' | 'size' | 'packedSize') => local[key] === entry[key] || (isLate && local[key] === 0)
  if (!same('crc')) throw differs('CRC')
  if (!same('size') || !same('packedSize')) throw differs('sizes')
}

const differs = (what: string) => malformed(`The local header of an entry and the directory differ in its ${what}.`)

/**
 * Reads the data between an entry and `next`. This data can only be the announced descriptor of the entry. Returns its
 * end.
 */
export async function readDescriptor(source: Source, entry: Entry, dataEnd: number): Promise<number> {
  if ((entry.flags & hasDescriptor) === 0) return dataEnd
  const bytes = await source.read(dataEnd, dataEnd + 24)
  const end = descriptorLength(bytes, entry)
  if (end === null) throw malformed('The data of an entry does not end with its announced descriptor.')
  return dataEnd + end
}

/** Returns the length of the matching data descriptor (APPNOTE 4.3.9), with or without signature, narrow or ZIP64. */
function descriptorLength(bytes: Buffer, entry: Entry): number | null {
  for (const begin of bytes.toString('latin1', 0, 4) === 'PK\x07\x08' ? [4, 0] : [0]) {
    if (bytes.length < begin + 12 || bytes.readUInt32LE(begin) !== entry.crc) continue
    const isWide =
      bytes.length >= begin + 20 &&
      Number(bytes.readBigUInt64LE(begin + 4)) === entry.packedSize &&
      Number(bytes.readBigUInt64LE(begin + 12)) === entry.size
    // Zeros match both widths. The width for which a record follows is correct.
    const isNarrow = bytes.readUInt32LE(begin + 4) === entry.packedSize && bytes.readUInt32LE(begin + 8) === entry.size
    if (isNarrow && (!isWide || bytes.toString('latin1', begin + 12, begin + 14) === 'PK')) return begin + 12
    if (isWide) return begin + 20
  }
  return null
}
