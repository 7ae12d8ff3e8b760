export class ZipBrokenError extends Error {
  override name = 'ZipBrokenError'
}

/**
 * A file as described in the archive’s directory. The header before the file’s content is not used because it can be
 * wrong (APPNOTE.TXT 6.3, 4.4.4, bit 3).
 */
export interface ZipFile {
  name: string
  encrypted: boolean
  method: number
  crc32: number
  packed: number
  at: number
}

export interface ZipDirectory {
  from: number
  to: number
  count: number
}

// Records of an archive (section 4.3), with their lengths without names and comments.
const end = { signature: 0x06054b50, length: 22 }
const end64 = { signature: 0x06064b50, length: 56 }
const locator64 = { signature: 0x07064b50, length: 20 }
const central = { signature: 0x02014b50, length: 46 }
const local = { signature: 0x04034b50, length: 30 }

const longestComment = 65_535

/** Number of bytes at the end of an archive that can contain the end record. */
export const tailLength = locator64.length + end.length + longestComment

/** Length of the ZIP64 record in bytes. The record contains the position of the directory in archives over 4 GiB. */
export const recordLength = end64.length

export const headLength = local.length

/**
 * Returns the position of the directory, or of the ZIP64 record, from the last bytes of an archive. Returns null if
 * there is no end record. Ignores a signature within the comment, because its length does not match.
 */
export function readEndRecord(tail: Buffer): ZipDirectory | { recordAt: number } | null {
  for (let at = tail.length - end.length; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== end.signature || at + end.length + tail.readUInt16LE(at + 20) !== tail.length)
      continue
    const [count, length, from] = [tail.readUInt16LE(at + 10), tail.readUInt32LE(at + 12), tail.readUInt32LE(at + 16)]
    if (from !== 0xffffffff && count !== 0xffff) return { from, to: from + length, count }
    const locator = at - locator64.length
    if (locator < 0 || tail.readUInt32LE(locator) !== locator64.signature) throw new ZipBrokenError()
    return { recordAt: big(tail, locator + 8) }
  }
  return null
}

export function readZip64Directory(record: Buffer): ZipDirectory {
  if (record.length < recordLength || record.readUInt32LE(0) !== end64.signature) throw new ZipBrokenError()
  const [count, length, from] = [big(record, 32), big(record, 40), big(record, 48)]
  return { from, to: from + length, count }
}

export function* readFiles(directory: Buffer, count: number): Generator<ZipFile> {
  for (let at = 0, found = 0; found < count; found++) {
    if (at + central.length > directory.length || directory.readUInt32LE(at) !== central.signature)
      throw new ZipBrokenError()
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ]
    const after = at + central.length + name + extra + comment
    if (after > directory.length) throw new ZipBrokenError()
    yield fileOf(directory.subarray(at, after), name, extra)
    at = after
  }
}

function fileOf(record: Buffer, nameLength: number, extraLength: number): ZipFile {
  const sizes = { unpacked: record.readUInt32LE(24), packed: record.readUInt32LE(20), at: record.readUInt32LE(42) }
  const extraAt = central.length + nameLength
  const { packed, at } = zip64(record.subarray(extraAt, extraAt + extraLength), sizes)
  return {
    name: record.toString('utf8', central.length, extraAt),
    encrypted: (record.readUInt16LE(8) & 1) === 1,
    method: record.readUInt16LE(10),
    crc32: record.readUInt32LE(16),
    packed,
    at,
  }
}

/**
 * Reads sizes over 4 GiB from an extra field (4.5.3). The field contains them in this order and omits smaller sizes.
 */
function zip64(extra: Buffer, sizes: { unpacked: number; packed: number; at: number }) {
  const large = Object.entries(sizes).filter(([, size]) => size === 0xffffffff)
  if (large.length === 0) return sizes
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    if (at + 4 + 8 * large.length > extra.length) break
    return { ...sizes, ...Object.fromEntries(large.map(([name], i) => [name, big(extra, at + 4 + 8 * i)])) }
  }
  throw new ZipBrokenError()
}

export function getFileRange({ at, packed }: ZipFile, head: Buffer): { from: number; to: number } {
  if (head.length < headLength || head.readUInt32LE(0) !== local.signature) throw new ZipBrokenError()
  const from = at + headLength + head.readUInt16LE(26) + head.readUInt16LE(28)
  return { from, to: from + packed }
}

const big = (bytes: Buffer, at: number): number => Number(bytes.readBigUInt64LE(at))
