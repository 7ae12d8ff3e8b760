import type { ReadStream } from 'node:fs'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'

export class SegmentFolder {
  readonly #path: string
  readonly #kept = new Set<string>()
  #ready: Promise<unknown>

  constructor(path: string) {
    this.#path = path
    this.#ready = mkdir(path, { recursive: true })
    this.#ready.catch(() => {})
  }

  has = (name: string): boolean => this.#kept.has(name)

  /** Stores a segment. If the disk is full, the broadcast continues, but viewers cannot rewind to this segment. */
  async keep(name: string, parts: Buffer[]): Promise<void> {
    try {
      await this.#ready
      await writeFile(join(this.#path, name), parts)
      this.#kept.add(name)
    } catch (error) {
      log.error({ err: describe(error), segment: name }, 'a live segment could not be stored on disk')
      await rm(join(this.#path, name), { force: true }).catch(() => {})
    }
  }

  async read(name: string): Promise<{ stream: ReadStream; size: number } | undefined> {
    if (!this.#kept.has(name)) return undefined
    const file = await open(join(this.#path, name))
    const { size } = await file.stat()
    return { stream: file.createReadStream(), size }
  }

  async forget(names: string[]): Promise<void> {
    for (const name of names) this.#kept.delete(name)
    await Promise.all(names.map((name) => rm(join(this.#path, name), { force: true })))
  }

  async remove(): Promise<void> {
    await this.#ready.catch(() => {})
    await rm(this.#path, { recursive: true, force: true })
  }
}
