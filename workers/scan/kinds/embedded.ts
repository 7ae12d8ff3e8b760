import { constants, crc32, inflateRawSync } from 'node:zlib'
import { isOldFile, longestHeader, nameEndOf } from '../archives/cpio-header.ts'
import { mayHaveChecksum } from '../archives/tar-header.ts'
import { isExt, isFat } from './disk-images.ts'

/** By what tools find an archive that begins somewhere in a file, and whether what follows bears it out. */
export interface Mark {
  /** Two to seven, which no other mark begins with. */
  bytes: Buffer
  /** How many bytes before it the archive begins. */
  before?: number
  /** Whether it may be one by what is at hand, `lookBehind` bytes before it and some behind; where it stands by chance too often for each to be looked at later. */
  mayBe?(bytes: Buffer, at: number): boolean
  isBorneOut(following: Buffer): boolean
}

const zip: Mark = {
  bytes: Buffer.from('PK\x03\x04', 'latin1'),
  // Four bytes stand anywhere by chance; those of a local header are followed by a version, a method and the length of a name.
  isBorneOut: (header) =>
    header.length >= 30 &&
    header.readUInt16LE(4) < 100 &&
    header.readUInt16LE(8) < 100 &&
    header.readUInt16LE(26) < 1024,
}
const rar: Mark = { bytes: Buffer.from('Rar!\x1a\x07', 'latin1'), isBorneOut: () => true }
const sevenZip: Mark = { bytes: Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'), isBorneOut: () => true }
const gzip: Mark = { bytes: Buffer.from('\x1f\x8b\x08', 'latin1'), isBorneOut: isMember }

const zstd: Mark = { bytes: Buffer.from('\x28\xb5\x2f\xfd', 'latin1'), isBorneOut: isFrame }
const xz: Mark = { bytes: Buffer.from('\xfd7zXZ\0', 'latin1'), isBorneOut: () => true }
/** What a block of bzip2 begins with, right behind the four bytes that the file begins with. */
const bzip2: Mark = { bytes: Buffer.from('1AY&SY', 'latin1'), isBorneOut: () => true }

/** Tools look for it behind anything. */
const cpio: Mark = {
  bytes: Buffer.from('07070', 'latin1'),
  mayBe(bytes, at) {
    if (!/^07070[127]?[0-9a-f]*$/i.test(bytes.toString('latin1', at, at + 76))) return false
    const end = nameEndOf(bytes, at)
    return at + longestHeader > bytes.length || (end !== null && (end >= bytes.length || bytes[end] === 0))
  },
  isBorneOut(header) {
    const end = nameEndOf(header, 0)
    return end !== null && header[end] === 0
  },
}

/** The oldest kind of it, for whose two bytes only the rest of its header speaks. */
const oldCpio = (first: string): Mark => ({
  bytes: Buffer.from(first, 'latin1'),
  // Two bytes stand at the end of a chunk too often for each of them to be looked at later.
  mayBe: (bytes, at) => isOldFile(bytes, at) ?? true,
  isBorneOut: (header) => isOldFile(header, 0) === true,
})

const latin = (text: string) => Buffer.from(text, 'latin1')

const is = (header: Buffer, at: number, text: string) => header.toString('latin1', at, at + text.length) === text

const tar: Mark = { bytes: latin('ustar'), before: 257, isBorneOut: mayHaveChecksum }
/** The descriptor of an ISO image, and of one by UDF; in a program that knows them there is no more than their names. */
const iso: Mark = { bytes: latin('CD001'), before: 1, isBorneOut: (header) => is(header, 0, '\x01CD001\x01\0') }
const udf: Mark = { bytes: latin('BEA01'), before: 1, isBorneOut: (header) => is(header, 0, '\0BEA01\x01\0') }
const cab: Mark = {
  bytes: latin('MSCF'),
  isBorneOut: (header) =>
    is(header, 4, '\0\0\0\0') && is(header, 12, '\0\0\0\0') && is(header, 24, '\x03\x01') && header.length >= 36,
}
const squashfs: Mark = {
  bytes: latin('hsqs'),
  // Version 4, and the size of its blocks beside what that is a power of two of.
  isBorneOut: (header) =>
    header.length >= 96 &&
    header.readUInt16LE(28) === 4 &&
    header.readUInt32LE(12) === 2 ** Math.min(31, header.readUInt16LE(22)),
}
const wim: Mark = { bytes: latin('MSWIM\0\0'), isBorneOut: (header) => is(header, 7, '\0\xd0\0\0\0') }
const xar: Mark = { bytes: latin('xar!\0\x1c\0'), isBorneOut: () => true }
const arj: Mark = {
  bytes: latin('\x60\xea'),
  // Two bytes stand anywhere, a size behind them and a sum behind that do not.
  mayBe(bytes, at) {
    if (at + 6 > bytes.length) return true
    const [size, first] = [bytes.readUInt16LE(at + 2), bytes.readUInt8(at + 4)]
    if (size < 30 || size > 2600 || first < 30 || first > size) return false
    return at + size + 8 > bytes.length || hasArjSum(bytes.subarray(at))
  },
  isBorneOut: hasArjSum,
}

/** Whether the sum behind a header of ARJ is that of its bytes. */
export function hasArjSum(header: Buffer): boolean {
  const end = header.length < 10 ? 0 : 4 + header.readUInt16LE(2)
  return end >= 34 && end + 4 <= header.length && crc32(header.subarray(4, end)) === header.readUInt32LE(end)
}

/** `-lh5-` and the like behind a size and a sum of the header (levels 0 and 1), or a size and a level (2). */
const lzh: Mark = {
  bytes: latin('-l'),
  before: 2,
  mayBe: (bytes, at) => /^-l(?:h[0-7dx]|z[s45])-$/.test(bytes.toString('latin1', at, at + 5)),
  isBorneOut(header) {
    const [size = 0, sum, level] = [header[0], header[1], header[20]]
    if (level === 2) return header.readUInt16LE(0) >= 26 && header.readUInt16LE(0) < 4096
    const bytes = header.subarray(2, 2 + size)
    return (level === 0 || level === 1) && size >= 20 && (bytes.reduce((total, byte) => total + byte, 0) & 0xff) === sum
  },
}

/** Volumes, whose two bytes only the rest of their first blocks bears out. */
const ext: Mark = {
  bytes: latin('\x53\xef'),
  before: 1080,
  mayBe: (bytes, at) => at >= 1080 && (bytes.length < at + 48 || isExt(bytes.subarray(at - 1080))),
  isBorneOut: isExt,
}
const fat: Mark = {
  bytes: latin('\x55\xaa'),
  before: 510,
  mayBe: (bytes, at) => at >= 510 && isFat(bytes.subarray(at - 510, at + 2)),
  isBorneOut: isFat,
}

/** Formats of programs hold gzip members of their own, such as the tiles of a map: they count only in what is read by none. */
export const sure: Mark[] = [zip, rar, sevenZip, tar, iso, udf, cab, squashfs, wim, xar, arj]
export const all: Mark[] = [
  ...sure,
  gzip,
  zstd,
  xz,
  bzip2,
  cpio,
  oldCpio('\xc7\x71'),
  oldCpio('\x71\xc7'),
  lzh,
  ext,
  fat,
]
/** A line behind which a text may hold a file by uuencode: no archive, and looked into for itself. */
export const encoded: Mark = {
  bytes: Buffer.from('\nbegin'),
  mayBe: (bytes, at) => /^\nbegin(?:$|[ -])/.test(bytes.toString('latin1', at, at + 7)),
  isBorneOut: () => false,
}
/** Whether a frame of Zstandard (RFC 8878, 3.1.1) begins here, and its first block is one that there may be. */
function isFrame(header: Buffer): boolean {
  const told = header[4] ?? 0xff
  const isOneSegment = (told & 0x20) !== 0
  const dictionary = [0, 1, 2, 4][told & 3] ?? 0
  const contentSize = [isOneSegment ? 1 : 0, 2, 4, 8][told >> 6] ?? 0
  const at = 5 + (isOneSegment ? 0 : 1) + dictionary + contentSize
  if ((told & 0x08) !== 0 || at + 3 > header.length) return false
  const block = header.readUIntLE(at, 3)
  return ((block >> 1) & 3) !== 3 && block >> 3 <= 128 * 1024
}

const longestHeaderText = 1024

/** Whether a gzip member (RFC 1952) begins here: its header has only flags that mean something, and what follows inflates. */
function isMember(bytes: Buffer): boolean {
  const flags = bytes[3] ?? 0xff
  if (bytes.length < 18 || flags >= 0x20) return false
  let at = 10
  if (flags & 4) at += 2 + bytes.readUInt16LE(10)
  for (const text of [8, 16]) if (flags & text) at = bytes.indexOf(0, Math.min(at, longestHeaderText)) + 1
  if (flags & 2) at += 2
  try {
    const found = inflateRawSync(bytes.subarray(at), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 20 })
    return found.length > 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
  }
}
