import { randomUUID } from 'node:crypto'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { Inspection } from './inspection.ts'
import { Marks } from './kinds/marks.ts'
import { headSize } from './kinds/sniff.ts'
import { fileSource, memorySource, type Source } from './source.ts'

/** What is kept of a content at its end: the record that an archive would end with, and its longest comment. */
const tailSize = 22 + 0xffff

/** Keeps an unpacked content as it passes: whole in memory while it is small, then in a scratch file if it is wanted, else its ends alone. */
export class Keeper {
  size = 0
  readonly #inspection: Inspection
  readonly #isWanted: (head: Buffer) => boolean
  #held: Buffer[] = []
  #heldSize = 0
  #head: Buffer | null = null
  #tail: Buffer = Buffer.alloc(0)
  readonly #marks = new Marks(false)
  #file: FileHandle | null = null

  constructor(inspection: Inspection, isWanted: (head: Buffer) => boolean) {
    this.#inspection = inspection
    this.#isWanted = isWanted
  }

  /** Keeps one chunk more. */
  async add(chunk: Buffer): Promise<void> {
    this.size += chunk.length
    if (this.#file !== null) return await this.#write(chunk)
    if (this.#head !== null) return this.#keepTail(chunk)
    this.#held.push(chunk)
    this.#heldSize += chunk.length
    this.#inspection.held.memory += chunk.length
    if (this.#inspection.held.memory > this.#inspection.limits.memory && this.#heldSize >= headSize)
      await this.#overflow()
  }

  /** Whether an archive may begin or end in what was not kept. */
  get mayHoldArchive(): boolean {
    return this.#head !== null && (this.#marks.isAny || this.#tail.includes('PK\x05\x06'))
  }

  /** The first bytes, and the whole where it was kept. */
  async finish(): Promise<{ head: Buffer; source: Source | null }> {
    if (this.#file !== null) {
      const source = fileSource(this.#file, this.size)
      return { head: await source.read(0, headSize), source }
    }
    if (this.#head !== null) return { head: this.#head, source: null }
    const bytes = Buffer.concat(this.#held)
    this.#held = [bytes]
    return { head: bytes.subarray(0, headSize), source: memorySource(bytes) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#releaseMemory()
    if (this.#file === null) return
    this.#inspection.held.scratch -= this.size
    await this.#file.close()
  }

  async #overflow(): Promise<void> {
    const bytes = Buffer.concat(this.#held)
    this.#releaseMemory()
    const head = Buffer.from(bytes.subarray(0, headSize))
    if (this.#isWanted(head)) {
      this.#file = await openScratch(this.#inspection.file.path)
      await this.#write(bytes)
    } else {
      this.#head = head
      this.#keepTail(bytes)
    }
  }

  #keepTail(chunk: Buffer): void {
    this.#marks.add(chunk)
    this.#tail = Buffer.from(Buffer.concat([this.#tail, chunk]).subarray(-tailSize))
  }

  async #write(chunk: Buffer): Promise<void> {
    this.#inspection.holdScratch(chunk.length)
    await this.#file?.writeFile(chunk)
  }

  #releaseMemory(): void {
    this.#inspection.held.memory -= this.#heldSize
    this.#held = []
    this.#heldSize = 0
  }
}

/** A file without a name, so that no end of this process leaves it behind. */
async function openScratch(beside: string): Promise<FileHandle> {
  const path = `${beside}.${randomUUID()}.scratch`
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
