import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Storage } from '#lib/storage/storage.ts'
import { plain } from './conformance/peer.ts'

/** Small objects that are put one after the other while something happens to their store. */
export class Writes {
  readonly bytes = 20_000
  /** Keys whose objects the store said it has. */
  readonly accepted: string[] = []
  readonly #prefix = `writes/${randomUUID()}`
  readonly #ended = new AbortController()
  readonly #running: Promise<{ refused: number; longest: number }>

  constructor(storage: Storage) {
    this.#running = this.#run(storage)
  }

  /** Ends them; how many failed, and how long the longest took in milliseconds. */
  async end(): Promise<{ accepted: number; refused: number; longest: number }> {
    this.#ended.abort()
    return { accepted: this.accepted.length, ...(await this.#running) }
  }

  async #run(storage: Storage) {
    let [refused, longest] = [0, 0]
    for (let number = 0; !this.#ended.signal.aborted; number += 1) {
      const [key, begun] = [`${this.#prefix}/${number}`, performance.now()]
      await storage.put(key, Buffer.alloc(this.bytes, number), plain).then(
        () => this.accepted.push(key),
        () => (refused += 1),
      )
      longest = Math.max(longest, performance.now() - begun)
      await pause(50)
    }
    return { refused, longest }
  }
}
