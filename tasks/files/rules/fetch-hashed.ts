import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Storage } from '#lib/storage/storage.ts'

/** A local copy of an object. */
export interface LocalCopy {
  key: string
  path: string
  /** In bytes. */
  size: number
  /** Of the bytes as they came, in hex. */
  sha256: string
}

/** A piece of the disk is written at a time, in bytes. */
const writtenAtOnce = 512 * 1024

/** Fetches an object into a local file, hashes it on the way; null when there is none. */
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
