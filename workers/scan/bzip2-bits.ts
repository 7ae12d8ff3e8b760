import { malformed } from './refusal.ts'
import type { Source } from './source.ts'

/** Reads a source bit by bit, the highest of each byte first. */
export class Bits {
  readonly #source: Source
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #start = 0
  #held = 0
  #count = 0

  constructor(source: Source) {
    this.#source = source
  }

  /** How many bytes have been begun. */
  get consumed(): number {
    return this.#start + this.#at - Math.floor(this.#count / 8)
  }

  /** Has `bytes` further ones at hand, unless the source ends before. */
  async fill(bytes: number): Promise<void> {
    const isLast = this.#start + this.#bytes.length >= this.#source.size
    if (this.#bytes.length - this.#at >= bytes || (isLast && this.#bytes.length > 0)) return
    this.#start += this.#at
    // Twice as many, so that few are read again.
    this.#bytes = await this.#source.read(this.#start, this.#start + 2 * bytes)
    this.#at = 0
  }

  /** The next bits as a number, 24 at most. */
  take(count: number): number {
    while (this.#count < count) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) throw malformed('It is cut off.')
      this.#held = ((this.#held << 8) | byte) >>> 0
      this.#at += 1
      this.#count += 8
    }
    this.#count -= count
    const value = (this.#held >>> this.#count) & ((1 << count) - 1)
    this.#held &= (1 << this.#count) - 1
    return value
  }

  /** The next bits, 24 at most, which stay; zeros where the source ends before. */
  peek(count: number): number {
    while (this.#count < count) {
      this.#held = ((this.#held << 8) | (this.#bytes[this.#at] ?? 0)) >>> 0
      this.#at += 1
      this.#count += 8
    }
    return (this.#held >>> (this.#count - count)) & ((1 << count) - 1)
  }

  /** Leaves out what is left of a byte. */
  align(): void {
    this.#count -= this.#count % 8
    this.#held &= (1 << this.#count) - 1
  }
}
