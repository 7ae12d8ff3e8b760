import { inflateRawSync } from 'node:zlib'

/** Bytes that a file of an archive may have once it is inflated, whatever the archive says: a bomb ends there. */
const mostInflated = 32 * 2 ** 20

/** Files of an archive that are looked through at most. */
const mostFiles = 10_000

/** Bytes are no archive that is read, or a file in them is too large. */
export class ZipUnreadable extends Error {
  override name = 'ZipUnreadable'
}

const [endOfDirectory, inDirectory, beforeFile] = [0x06054b50, 0x02014b50, 0x04034b50]

/** The text of a file in a ZIP archive (APPNOTE.TXT 6.3, 4.3); undefined when none has that name. Throws `ZipUnreadable`. */
export function fileIn(archive: Uint8Array, name: string): string | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  try {
    const entry = entryOf(bytes, name)
    return entry && inflated(bytes, entry).toString('utf8')
  } catch (error) {
    if (error instanceof RangeError && (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ZipUnreadable(`The document has more than ${mostInflated / 2 ** 20} MiB of text and marks.`)
    }
    if (error instanceof ZipUnreadable) throw error
    throw new ZipUnreadable('The archive is damaged.')
  }
}

interface Entry {
  method: number
  encrypted: boolean
  length: number
  at: number
}

/** Where a file stands, by the directory at the archive's end: what stands before files may be wrong (4.4.4, bit 3). */
function entryOf(bytes: Buffer, name: string): Entry | undefined {
  const end = endOf(bytes)
  let at = bytes.readUInt32LE(end + 16)
  const files = Math.min(bytes.readUInt16LE(end + 10), mostFiles)
  for (let i = 0; i < files; i++) {
    if (bytes.readUInt32LE(at) !== inDirectory) throw new ZipUnreadable('The archive is damaged.')
    const [named, extra, comment] = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ]
    if (bytes.toString('utf8', at + 46, at + 46 + named) === name) {
      return {
        encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        method: bytes.readUInt16LE(at + 10),
        length: bytes.readUInt32LE(at + 20),
        at: bytes.readUInt32LE(at + 42),
      }
    }
    at += 46 + named + extra + comment
  }
  return undefined
}

/** The end of an archive is followed by a comment of at most 65,535 bytes. */
function endOf(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - 65_557); at--) {
    if (bytes.readUInt32LE(at) === endOfDirectory) return at
  }
  throw new ZipUnreadable('The archive has no end: it is cut off.')
}

function inflated(bytes: Buffer, { method, encrypted, length, at }: Entry): Buffer {
  if (encrypted) throw new ZipUnreadable('The document is encrypted.')
  if (bytes.readUInt32LE(at) !== beforeFile) throw new ZipUnreadable('The archive is damaged.')
  const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28)
  const packed = bytes.subarray(from, from + length)
  if (method === 0) return packed
  if (method !== 8) throw new ZipUnreadable('The archive is packed in a way that is not read.')
  return inflateRawSync(packed, { maxOutputLength: mostInflated })
}
