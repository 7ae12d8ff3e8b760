import { createHash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from '#lib/storage/storage.ts'

/**
 * Maximum size in bytes of an email that is kept in memory. Most emails are smaller, and a hundred can arrive at the
 * same time.
 */
const inMemory = 512 * 1024

export interface Spooled extends AsyncDisposable {
  bytes: number
  sha256: string
  beginning(most: number): Promise<Buffer>
  store(storage: Storage, key: string): Promise<void>
}

/**
 * Reads a complete email into memory, or into a file if it is large. If it is larger than `most`, reads all of it and
 * returns null.
 */
export async function spool(chunks: AsyncIterable<Buffer>, most: number): Promise<Spooled | null> {
  const hash = createHash('sha256')
  const kept: Buffer[] = []
  let bytes = 0
  let large: FileHandle | undefined
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > most) continue
      hash.update(chunk)
      if (!large && bytes > inMemory) {
        large = await openFile()
        for (const before of kept.splice(0)) await large.appendFile(before)
      }
      if (large) await large.appendFile(chunk)
      else kept.push(chunk)
    }
  } catch (error) {
    await large?.close()
    throw error
  }
  if (bytes > most) {
    await large?.close()
    return null
  }
  return {
    bytes,
    sha256: hash.digest('hex'),
    async beginning(wanted) {
      if (!large) return Buffer.concat(kept).subarray(0, wanted)
      const buffer = Buffer.alloc(Math.min(wanted, bytes))
      const { bytesRead } = await large.read(buffer, 0, buffer.length, 0)
      return buffer.subarray(0, bytesRead)
    },
    async store(storage, key) {
      const options = { contentType: 'message/rfc822' }
      if (large) await storage.upload(`/proc/self/fd/${large.fd}`, key, options)
      else await storage.put(key, Buffer.concat(kept), options)
    },
    [Symbol.asyncDispose]: async () => await large?.close(),
  }
}

/** Opens a file and unlinks it, so that no file remains when the process exits. */
async function openFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-mail-'))
  try {
    return await open(join(folder, 'mail'), 'wx+', 0o600)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
