import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Storage } from '#lib/storage.ts'

/** A local copy of an object. */
export interface Fetched {
  key: string
  path: string
  /** In bytes. */
  size: number
  /** Of the bytes as they came, in hex. */
  sha256: string
}

/** Fetches an object into a local file and hashes it on the way; null when there is none. */
export async function fetchHashed(
  storage: Storage,
  key: string | null,
  path: string,
  signal: AbortSignal,
): Promise<Fetched | null> {
  const bytes = key === null ? null : await storage.read(key, signal)
  if (key === null || bytes === null) return null
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      size += chunk.length
      done(null, chunk)
    },
  })
  await pipeline(bytes, measure, createWriteStream(path), { signal })
  return { key, path, size, sha256: hash.digest('hex') }
}
