import { constants, inflateRawSync } from 'node:zlib'
import { isOldFile, longestHeader, nameEndOf } from '../archives/cpio-header.ts'
import { chunksOf, type Source } from '../source.ts'

/** By what tools find an archive that begins somewhere in a file, and whether what follows bears it out. */
interface Mark {
  bytes: Buffer
  /** Whether it may be one by what follows at hand; where it stands by chance too often for each to be looked at later. */
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

/** Formats of programs hold gzip members of their own, such as the tiles of a map: they count only in what is read by none. */
const sure = [zip, rar, sevenZip]
const all = [...sure, gzip, xz, bzip2, cpio, oldCpio('\xc7\x71'), oldCpio('\x71\xc7')]
/** A line behind which a text may hold a file by uuencode: no archive, and looked into for itself. */
const encoded: Mark = {
  bytes: Buffer.from('\nbegin'),
  mayBe: (bytes, at) => /^\nbegin(?:$|[ -])/.test(bytes.toString('latin1', at, at + 7)),
  isBorneOut: () => false,
}
const noted = [...all, encoded]
const marksOf = (isKnown: boolean) => (isKnown ? sure : all)
const mostChances = 2000
const longestMark = 7
/** Bytes from a mark on that bear it out. */
const followingSize = 8 * 1024

/** Whether bytes hold a mark, one that they share with those before them included. */
export function hasMark(before: Buffer, bytes: Buffer): boolean {
  const seam = Buffer.concat([before.subarray(-7), bytes.subarray(0, 7)])
  return noted.some((mark) => [seam, bytes].some((where) => !startsIn(where, mark).next().done))
}

/** Where a mark may begin in bytes. */
function* startsIn(bytes: Buffer, { bytes: mark, mayBe }: Mark): Generator<number> {
  for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1))
    if (mayBe?.(bytes, at) ?? true) yield at
}

/** Whether bytes that nobody should read hold what a ZIP archive begins or ends with. */
export const hasZip = (bytes: Buffer): boolean => bytes.includes(zip.bytes) || bytes.includes('PK\x05\x06', 0, 'latin1')

/** Notes where marks stand in bytes that pass chunk by chunk. */
export class Marks {
  /** How many bytes have passed. */
  size = 0
  readonly #starts = new Map(noted.map((mark) => [mark, [] as number[]]))
  #kept: Buffer = Buffer.alloc(0)

  /** Looks at the next bytes. */
  add(chunk: Buffer): void {
    const before = this.#kept.length
    const seam = Buffer.concat([this.#kept, chunk.subarray(0, longestMark - 1)])
    for (const [mark, starts] of this.#starts) {
      const { bytes } = mark
      for (let at = seam.indexOf(bytes); at !== -1 && at < before; at = seam.indexOf(bytes, at + 1))
        if (at + bytes.length > before) starts.push(this.size - before + at)
      for (const at of startsIn(chunk, mark)) {
        if (starts.length > mostChances) break
        starts.push(this.size + at)
      }
    }
    this.size += chunk.length
    const end = chunk.length < longestMark ? seam : chunk
    this.#kept = Buffer.from(end.subarray(Math.max(0, end.length - longestMark + 1)))
  }

  /** Where the lines begin behind which a file by uuencode may stand; null where there are too many to be known. */
  get encodings(): number[] | null {
    const starts = this.#starts.get(encoded) ?? []
    return starts.length > mostChances ? null : starts.map((start) => start + 1)
  }

  /** Whether an archive begins at one of them; `isKnown` says whether the kind of the bytes is. */
  async holdArchive(source: Source, isKnown: boolean): Promise<boolean> {
    for (const mark of marksOf(isKnown)) {
      const starts = this.#starts.get(mark) ?? []
      if (starts.length > mostChances) return true
      for (const start of starts) if (mark.isBorneOut(await source.read(start, start + followingSize))) return true
    }
    return false
  }
}

/** Whether an archive begins anywhere in a source; `isKnown` says whether its kind is, `marks` what was found as it arrived. */
export async function holdsArchive(source: Source, isKnown: boolean, marks: Marks | null = null): Promise<boolean> {
  if (marks?.size === source.size) return await marks.holdArchive(source, isKnown)
  const found = new Marks()
  for await (const chunk of chunksOf(source)) found.add(chunk)
  return await found.holdArchive(source, isKnown)
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
