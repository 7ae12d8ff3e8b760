import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#lib/storage/storage.ts'
import { plain } from './conformance/peer.ts'

const bytes = 20_000

/** Small objects that are stored one after the other while the store is disturbed. */
export class Writes {
  readonly #storage: Storage
  /** Keys whose objects the store has acknowledged. */
  readonly #accepted: string[] = []
  readonly #prefix = `writes/${randomUUID()}`
  readonly #ended = new AbortController()
  readonly #running: Promise<{ refused: number; longest: number }>

  constructor(storage: Storage) {
    this.#storage = storage
    this.#running = this.#run()
  }

  /** Ends the writes. Returns the number of failures, and the longest duration in milliseconds. */
  async end(): Promise<{ accepted: number; refused: number; longest: number }> {
    this.#ended.abort()
    return { accepted: this.#accepted.length, ...(await this.#running) }
  }

  /** Returns the acknowledged objects that are missing or incomplete. */
  async missing(): Promise<string[]> {
    const missing: string[] = []
    for (const key of this.#accepted) if ((await this.#storage.size(key)) !== bytes) missing.push(key)
    return missing
  }

  async #run() {
    let [refused, longest] = [0, 0]
    for (let number = 0; !this.#ended.signal.aborted; number += 1) {
      const [key, begun] = [`${this.#prefix}/${number}`, performance.now()]
      await this.#storage.put(key, Buffer.alloc(bytes, number), plain).then(
        () => this.#accepted.push(key),
        () => (refused += 1),
      )
      longest = Math.max(longest, performance.now() - begun)
      await pause(50)
    }
    return { refused, longest }
  }
}
