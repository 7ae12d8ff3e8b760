import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { Storage } from '#lib/storage/storage.ts'

/** Bytes of an object that were read completely. `path` is the local copy, or `null` if there is none. */
export interface HashedObject {
  key: string
  path: string | null
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
): Promise<HashedObject | null> {
  using read = await readHashed(storage, key, signal)
  if (read === null) return null
  await pipeline(read.bytes, createWriteStream(path, { highWaterMark: writtenAtOnce }), { signal })
  return { ...(await read.rest()), path }
}

interface HashedRead extends Disposable {
  bytes: AsyncGenerator<Buffer>
  /** Reads the rest, and returns the hash of all bytes. */
  rest(): Promise<HashedObject>
}

/** Reads an object as a stream that is hashed. Returns `null` if the object does not exist. */
export async function readHashed(
  storage: Storage,
  key: string | null,
  signal: AbortSignal,
): Promise<HashedRead | null> {
  const stream = key === null ? null : await storage.read(key, signal)
  if (key === null || stream === null) return null
  const hash = createHash('sha256')
  let size = 0
  const chunks = stream[Symbol.asyncIterator]()
  const next = async () => {
    signal.throwIfAborted()
    const { value, done } = await chunks.next()
    if (done) return undefined
    hash.update(value)
    size += value.length
    return value as Buffer
  }
  async function* bytes() {
    for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk
  }
  return {
    bytes: bytes(),
    async rest() {
      while ((await next()) !== undefined);
      return { key, path: null, size, sha256: hash.digest('hex') }
    },
    [Symbol.dispose]: () => void stream.destroy(),
  }
}
