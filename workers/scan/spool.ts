import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { Inspection } from './inspection.ts'
import { chunksOf, fileSource, memorySource, type Source } from './source.ts'

/** Stores an unpacked content while it is read: in memory while there is room, then in a scratch file. */
export class Spool {
  size = 0
  readonly #inspection: Inspection
  #held: Buffer[] = []
  #heldSize = 0
  #file: FileHandle | null = null

  constructor(inspection: Inspection) {
    this.#inspection = inspection
  }

  async add(chunk: Buffer): Promise<void> {
    this.size += chunk.length
    this.#held.push(chunk)
    this.#heldSize += chunk.length
    this.#inspection.held.memory += chunk.length
    if (this.#inspection.held.memory > this.#inspection.limits.memory) await this.#flush()
  }

  /** Returns a path where a program can read a content: a copy, or the examined file itself if `path` is empty. */
  async stage(source: Source, path: string[]): Promise<string> {
    if (path.length === 0) return this.#inspection.file.path
    for await (const chunk of chunksOf(source)) await this.add(chunk)
    const file = await this.#flush()
    return `/proc/self/fd/${file.fd}`
  }

  async finish(): Promise<Source> {
    if (this.#file !== null) return fileSource(await this.#flush(), this.size)
    return memorySource(this.#held.length === 1 && this.#held[0] ? this.#held[0] : Buffer.concat(this.#held))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const written = this.size - this.#heldSize
    this.#release()
    this.#inspection.held.scratch -= written
    await this.#file?.close()
  }

  async #flush(): Promise<FileHandle> {
    this.#file ??= await openScratch(this.#inspection.file.path)
    const bytes = Buffer.concat(this.#held)
    this.#release()
    this.#inspection.signal.throwIfAborted()
    this.#inspection.holdScratch(bytes.length)
    await this.#file.writeFile(bytes)
    return this.#file
  }

  #release(): void {
    this.#inspection.held.memory -= this.#heldSize
    this.#held = []
    this.#heldSize = 0
  }
}

/** The file has no name, so it is deleted even if this process is killed. */
async function openScratch(beside: string): Promise<FileHandle> {
  const path = `${beside}.${randomUUID()}.scratch`
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
