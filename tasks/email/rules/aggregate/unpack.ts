import { gunzipSync, inflateRawSync } from 'node:zlib'
import { getFileRange, headLength, readEndRecord, readFiles, tailLength } from '#lib/zip-directory.ts'

/** Maximum size in bytes of an unpacked report. The largest ones of mailbox providers have a few MiB. */
export const mostUnpacked = 20 * 1024 ** 2

/** Returns the bytes of a report, unpacked from gzip or the first file of a ZIP archive. Throws if this is too large. */
export function unpack(packed: Buffer): Buffer {
  if (packed[0] === 0x1f && packed[1] === 0x8b) return gunzipSync(packed, { maxOutputLength: mostUnpacked })
  if (packed.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'))) return firstOf(packed)
  return packed
}

function firstOf(archive: Buffer): Buffer {
  const end = readEndRecord(archive.subarray(-tailLength))
  if (!end || 'recordAt' in end) throw new Error('The archive cannot be read.')
  const [file] = [...readFiles(archive.subarray(end.from, end.to), Math.min(end.count, 1))]
  if (!file || file.encrypted) throw new Error('The archive has no file that can be read.')
  const { from, to } = getFileRange(file, archive.subarray(file.at, file.at + headLength))
  const packed = archive.subarray(from, to)
  if (packed.length !== to - from) throw new Error('The archive is incomplete.')
  if (file.method === 0) return packed
  if (file.method !== 8) throw new Error('The archive uses an unknown method.')
  return inflateRawSync(packed, { maxOutputLength: mostUnpacked })
}
