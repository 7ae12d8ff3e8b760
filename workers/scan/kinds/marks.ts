import { constants, crc32, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { canHaveChecksum } from '../archives/tar.ts'
import type { Source } from '../source.ts'
import { isExt, isFat } from './disk-images.ts'

/** A mark by which programs find an archive inside a file, and a check of the bytes that follow. */
interface Mark {
  bytes: Buffer
  before: number
  isBorneOut(header: Buffer): boolean
}

const mark = (bytes: string, isBorneOut: Mark['isBorneOut'] = () => true, before = 0): Mark => ({
  bytes: Buffer.from(bytes, 'latin1'),
  before,
  isBorneOut,
})

const has = (header: Buffer, at: number, text: string) => header.toString('latin1', at, at + text.length) === text

/** Marks that programs do not use in their own files unless they are archives. */
const sure: Mark[] = [
  // Four bytes can occur by chance, so a local header is checked. It continues with a version, a method and the length
  // of a name.
  mark('PK\x03\x04', (header) => header.readUInt16LE(4) < 100 && header.readUInt16LE(8) < 100 && header[27] === 0),
  mark('Rar!\x1a\x07'),
  mark('7z\xbc\xaf\x27\x1c'),
  mark('ustar', canHaveChecksum, 257),
  // A program that can read ISO and UDF descriptors contains only their names.
  mark('CD001', (header) => has(header, 0, '\x01CD001\x01\0'), 1),
  mark('BEA01', (header) => has(header, 0, '\0BEA01\x01\0'), 1),
  mark('MSCF\0\0\0\0', (header) => has(header, 12, '\0\0\0\0') && has(header, 24, '\x03\x01')),
  mark('hsqs', (header) => header.readUInt16LE(28) === 4 && header.readUInt32LE(12) === 2 ** (header[22] ?? 0)),
  mark('MSWIM\0\0\0\xd0\0\0\0'),
  mark('xar!\0\x1c\0'),
  mark('\x60\xea', hasArjSum),
]

/**
 * True if a gzip member or Zstandard frame starts at this position. The available bytes must unpack without an error.
 */
const unpacksBy = (unpack: typeof gunzipSync | typeof zstdDecompressSync, finishFlush: number) => (header: Buffer) => {
  try {
    return unpack(header, { finishFlush, maxOutputLength: 2 ** 20 }).length > 0
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
  }
}

const isMember = unpacksBy(gunzipSync, constants.Z_SYNC_FLUSH)
const isFrame = unpacksBy(zstdDecompressSync, constants.ZSTD_e_continue)

/**
 * Program formats can contain gzip members, such as the tiles of a map. They count only in files of unknown formats.
 */
const all: Mark[] = [
  ...sure,
  mark('\x1f\x8b\x08', isMember),
  mark('\x28\xb5\x2f\xfd', isFrame),
  mark('\xfd7zXZ\0'),
  // Start of a bzip2 block, directly after the first four bytes of the file.
  mark('1AY&SY'),
  mark('07070', isCpio),
  mark('\xc7\x71', isCpio),
  mark('\x71\xc7', isCpio),
  mark('-l', isLzh, 2),
  mark('\x53\xef', isExt, 1080),
  mark('\x55\xaa', isFat, 510),
]

/**
 * Size in bytes of the range that 7-Zip searches at the start (8 MiB) and that other tools search at the end. GNU tar
 * and cpio search everywhere.
 */
const searched = { first: 2 ** 23, last: 2 ** 20 }
const everywhere = all.filter(({ isBorneOut }) => isBorneOut === isCpio)
const step = 2 ** 20
/** Number of bytes to check after a mark, and a number of packed members that does not occur by chance. */
const headerSize = 8 * 1024
const mostChances = 2000
const block = 512

/** True if an archive starts after other bytes. In a program's own format (`isOwn`), only few marks count. */
export async function holdsArchive(source: Source, isOwn: boolean): Promise<boolean> {
  for (let at = 0; at < source.size; at += step) {
    const isNearEnd = at < searched.first || at + step > source.size - searched.last
    const [here, elsewhere] = isOwn ? [sure, []] : [all, everywhere]
    const bytes = await source.read(at, at + step + headerSize)
    // The first block is the content itself.
    if (holds(bytes, isNearEnd ? here : elsewhere) || holdsTar(bytes, at === 0 ? block : 0)) return true
  }
  return false
}

function holdsTar(bytes: Buffer, firstBlock: number): boolean {
  for (let at = firstBlock; at + block <= bytes.length; at += block)
    if (isSumLike(bytes, at + 148) && canHaveChecksum(bytes.subarray(at, at + block))) return true
  return false
}

/** True if octal digits that GNU tar accepts start here: after spaces and zeros, and before one of these bytes. */
const isSumLike = (bytes: Buffer, at: number): boolean =>
  (bytes[at] ?? 0xff) < 0x38 && /^[\0\s]*[0-7]+(?:[\0\s]|$)/.test(bytes.toString('latin1', at, at + 8))

function holds(bytes: Buffer, marks: Mark[]): boolean {
  const padded = Buffer.concat([bytes, Buffer.alloc(headerSize)])
  for (const { bytes: what, before, isBorneOut } of marks) {
    let chances = 0
    for (let at = bytes.indexOf(what); at !== -1; at = bytes.indexOf(what, at + 1)) {
      const start = at - before
      if (start >= 0 && isBorneOut(padded.subarray(start, start + headerSize))) return true
      chances += 1
      if (chances > mostChances && (isBorneOut === isMember || isBorneOut === isFrame)) return true
    }
  }
  return false
}

/** True if bytes that no reader uses contain the start or the end of a ZIP archive. */
export const hasZip = (bytes: Buffer): boolean => bytes.includes('PK\x03\x04') || bytes.includes('PK\x05\x06')

export function hasArjSum(header: Buffer): boolean {
  const end = header.length < 10 ? 0 : 4 + header.readUInt16LE(2)
  const isSized = end >= 34 && end + 4 <= header.length && (header[4] ?? 0) >= 30 && (header[4] ?? 0) < end
  return isSized && crc32(header.subarray(4, end)) === header.readUInt32LE(end)
}

/** True for LHA: `-lh5-` or similar after two bytes, and later a level below 4. */
export function isLzh(header: Buffer): boolean {
  return /^-l(?:h[0-7dx]|z[s45])-$/.test(header.toString('latin1', 2, 7)) && (header[20] ?? 4) < 4
}

/** True if a cpio header, text or binary, starts here, with a name that ends at its declared length. */
export function isCpio(header: Buffer): boolean {
  const text = header.toString('latin1', 0, 110)
  const [, octal, hex] = /^070707[0-7]{53}([0-7]{6})|^07070[12][\da-f]{88}([\da-f]{8})/i.exec(text) ?? []
  if (octal !== undefined) return endsAt(header, 76, Number.parseInt(octal, 8))
  if (hex !== undefined) return endsAt(header, 110, Number.parseInt(hex, 16))
  if (header.length < 26) return false
  const isBig = header.readUInt16BE(0) === 0o070707
  if (!isBig && header.readUInt16LE(0) !== 0o070707) return false
  const [mode, size] = [6, 20].map((at) => (isBig ? header.readUInt16BE(at) : header.readUInt16LE(at)))
  return (mode ?? 0) >> 12 === 8 && endsAt(header, 26, size ?? 0)
}

function endsAt(header: Buffer, start: number, size: number): boolean {
  return size > 1 && size <= 4096 && header.subarray(start, start + size).indexOf(0) === size - 1
}
