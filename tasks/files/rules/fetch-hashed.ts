import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Storage } from '#lib/storage/storage.ts'

export interface LocalCopy {
  key: string
  path: string
  size: number
  sha256: string
}

/** Number of bytes written to the disk at a time. */
const writtenAtOnce = 512 * 1024

/** Downloads an object to a local file and hashes it. Returns `null` if the object does not exist. */
export async function fetchHashed(
  storage: Storage,
  key: string | null,
  path: string,
  signal: AbortSignal,
): Promise<LocalCopy | null> {
  const bytes = key === null ? null : await storage.read(key, signal)
  if (key === null || bytes === null) return null
  const hash = createHash('sha256')
  let size = 0
  const shown = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk)
      size += chunk.length
      yield chunk
    }
  }
  await pipeline(bytes, shown, createWriteStream(path, { highWaterMark: writtenAtOnce }), { signal })
  return { key, path, size, sha256: hash.digest('hex') }
}
