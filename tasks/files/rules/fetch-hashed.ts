import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#lib/storage/storage.ts'

/** Bytes of an object that were read completely. `path` is the local copy, or `null` if there is none. */
export interface HashedObject {
  key: string
  path: string | null
  size: number
  sha256: string
}

/** Maximum number of lost connections while an object is read. */
const mostLosses = 20

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
  const first = key === null ? null : await storage.read(key, signal)
  if (key === null || first === null) return null
  const hash = createHash('sha256')
  let size = 0
  let stream = first
  let chunks = stream[Symbol.asyncIterator]()
  let losses = 0

  /** Continues after a lost connection, because a large file is read for a long time. The object never changes. */
  async function reopen(at: string, error: unknown): Promise<void> {
    if (signal.aborted || size === 0 || ++losses > mostLosses) throw error
    stream.destroy()
    await pause(losses * 500, undefined, { signal })
    const rest = await storage.read(at, signal, { from: size })
    if (rest === null) throw error
    stream = rest
    chunks = stream[Symbol.asyncIterator]()
  }

  async function next(at: string): Promise<Buffer | undefined> {
    for (;;) {
      signal.throwIfAborted()
      try {
        const { value, done } = await chunks.next()
        if (done) return undefined
        hash.update(value)
        size += value.length
        return value as Buffer
      } catch (error) {
        await reopen(at, error)
      }
    }
  }
  async function* bytes(at: string) {
    for (let chunk = await next(at); chunk !== undefined; chunk = await next(at)) yield chunk
  }
  return {
    bytes: bytes(key),
    async rest() {
      while ((await next(key)) !== undefined);
      return { key, path: null, size, sha256: hash.digest('hex') }
    },
    [Symbol.dispose]: () => void stream.destroy(),
  }
}
