import { crc32, inflateRawSync } from 'node:zlib'
import {
  getFileRange,
  headLength,
  readEndRecord,
  readFiles,
  readZip64Directory,
  recordLength,
  tailLength,
  ZipBrokenError,
  type ZipFile,
} from '#lib/zip-directory.ts'

/**
 * Maximum size in bytes of an inflated file, regardless of the size that the archive declares. Protects against ZIP
 * bombs.
 */
const mostInflated = 32 * 2 ** 20

const mostFiles = 10_000

/** The bytes are not a supported archive, or a file in it is too large. */
export class ZipUnreadableError extends Error {
  override name = 'ZipUnreadableError'
}

/** Returns the text of a file in a ZIP archive, or undefined if it does not exist. Throws `ZipUnreadableError`. */
export function readZipEntry(archive: Uint8Array, name: string): string | undefined {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength)
  try {
    for (const file of filesOf(bytes)) if (file.name === name) return unpacked(bytes, file).toString('utf8')
    return undefined
  } catch (error) {
    if (error instanceof RangeError && (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new ZipUnreadableError(`The document has more than ${mostInflated / 2 ** 20} MiB of text and markup.`)
    }
    if (error instanceof ZipUnreadableError) throw error
    throw new ZipUnreadableError('The archive is damaged.')
  }
}

function filesOf(bytes: Buffer): Generator<ZipFile> {
  const end = readEndRecord(bytes.subarray(-tailLength))
  if (end === null) throw new ZipUnreadableError('The archive is incomplete.')
  const at = (from: number, length: number) => bytes.subarray(from, from + length)
  const { from, to, count } = 'recordAt' in end ? readZip64Directory(at(end.recordAt, recordLength)) : end
  return readFiles(bytes.subarray(from, to), Math.min(count, mostFiles))
}

function unpacked(bytes: Buffer, file: ZipFile): Buffer {
  const { encrypted, method, at } = file
  if (encrypted) throw new ZipUnreadableError('The document is encrypted.')
  if (method !== 0 && method !== 8)
    throw new ZipUnreadableError('The archive uses a compression method that is not supported.')
  const { from, to } = getFileRange(file, bytes.subarray(at, at + headLength))
  const packed = bytes.subarray(from, to)
  const plain = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: mostInflated })
  if (crc32(plain) !== file.crc32) throw new ZipBrokenError()
  return plain
}
