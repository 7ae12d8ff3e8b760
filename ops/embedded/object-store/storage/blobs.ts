import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Ledger } from './ledger.ts'

const batchSize = 1 << 20
const batchLength = 1024

const blobName = /^[0-9a-f]{32}$/

/**
 * The name is in the ledger, without references, before the file is created. Files of a crashed process are therefore
 * found by a query for blobs without references.
 */
export class Blobs {
  readonly #dir: string
  readonly #ledger: Ledger
  readonly #readers = new Map<string, number>()
  readonly #doomed = new Set<string>()
  #removal: Promise<void> = Promise.resolve()

  private constructor(dir: string, ledger: Ledger) {
    this.#dir = dir
    this.#ledger = ledger
  }

  static async open(dir: string, ledger: Ledger): Promise<Blobs> {
    for (let fan = 0; fan < 256; fan++)
      await mkdir(join(dir, fan.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 })
    await syncFolder(dir)
    await syncFolder(dirname(dir))
    const blobs = new Blobs(dir, ledger)
    const garbage = ledger.prepare('select id from blobs where refs = 0').all()
    blobs.remove(garbage.map(({ id }) => String(id)))
    return blobs
  }

  /**
   * Writes a stream to a new blob, waits until it is on disk, and calls `keep` to reference it in the ledger. If the
   * stream or `keep` throws, the blob is removed.
   */
  async write<Result>(source: AsyncIterable<Buffer>, keep: (id: string) => Promise<Result>): Promise<Result> {
    const id = randomBytes(16).toString('hex')
    this.#ledger.transaction(() => this.#ledger.prepare('insert into blobs (id, refs) values (?, 0)').run(id))
    try {
      const file = await open(this.#path(id), 'wx', 0o600)
      try {
        await writeAll(file, source)
        await file.datasync()
      } finally {
        await file.close()
      }
      await syncFolder(join(this.#dir, id.slice(0, 2)))
      return await keep(id)
    } catch (error) {
      this.remove([id])
      throw error
    }
  }

  read(id: string): Promise<FileHandle> {
    return open(this.#path(id), 'r')
  }

  /** Keeps blobs readable until the returned function is called, even if they are deleted. */
  hold(ids: readonly string[]): () => void {
    for (const id of ids) this.#readers.set(id, (this.#readers.get(id) ?? 0) + 1)
    return () => {
      for (const id of ids) {
        const left = (this.#readers.get(id) ?? 0) - 1
        if (left > 0) this.#readers.set(id, left)
        else this.#readers.delete(id)
      }
      this.remove(ids.filter((id) => this.#doomed.has(id)))
    }
  }

  /**
   * Removes blobs without references later, one after another. A blob that is being read is removed after its readers.
   */
  remove(ids: readonly string[]): void {
    for (const id of ids) this.#doomed.add(id)
    const free = ids.filter((id) => !this.#readers.has(id))
    if (free.length === 0) return
    this.#removal = this.#removal.then(async () => {
      for (const id of free) await this.#removeOne(id)
    })
  }

  /**
   * Removes files that are missing from the ledger. After a crash of the machine, a file can exist without a ledger
   * entry.
   */
  async removeStrays(signal: AbortSignal): Promise<void> {
    const find = this.#ledger.prepare('select 1 from blobs where id = ?')
    for (const fan of await readdir(this.#dir)) {
      if (signal.aborted) return
      const strays = (await readdir(join(this.#dir, fan))).filter((id) => blobName.test(id) && !find.get(id))
      for (const id of strays) await rm(this.#path(id), { force: true })
    }
  }

  async close(): Promise<void> {
    await this.#removal
  }

  async #removeOne(id: string): Promise<void> {
    if (!this.#doomed.delete(id)) return
    try {
      if (this.#ledger.prepare('select refs from blobs where id = ?').get(id)?.refs !== 0) return
      await rm(this.#path(id), { force: true })
      this.#ledger.transaction(() => this.#ledger.prepare('delete from blobs where id = ?').run(id))
    } catch (error) {
      process.emitWarning(`blob ${id} stays until the next start: ${error}`)
    }
  }

  #path(id: string): string {
    return join(this.#dir, id.slice(0, 2), id)
  }
}

/** Writes in batches. One batch is written to the file while the next is collected. */
async function writeAll(file: FileHandle, source: AsyncIterable<Buffer>): Promise<void> {
  let batch: Buffer[] = []
  let gathered = 0
  let writing: Promise<unknown> = Promise.resolve()
  try {
    for await (const chunk of source) {
      batch.push(chunk)
      gathered += chunk.length
      if (gathered < batchSize && batch.length < batchLength) continue
      await writing
      writing = writeBatch(file, batch, gathered)
      writing.catch(() => undefined)
      batch = []
      gathered = 0
    }
  } finally {
    await writing
  }
  if (gathered > 0) await writeBatch(file, batch, gathered)
}

async function writeBatch(file: FileHandle, batch: readonly Buffer[], size: number): Promise<void> {
  const { bytesWritten } = await file.writev(batch)
  if (bytesWritten < size) await file.writeFile(Buffer.concat(batch).subarray(bytesWritten))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
