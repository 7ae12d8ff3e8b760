import { damaged } from '../refusal.ts'

/** Numbers of seven bits a byte, the lowest first, of which all but the last byte have the eighth set. */
export class Numbers {
  at: number
  readonly #bytes: Buffer

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  get isAtEnd(): boolean {
    return this.at === this.#bytes.length
  }

  next(): number {
    let value = 0
    for (let place = 1; place <= 2 ** 49; place *= 128) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) throw damaged()
      value += (byte & 0x7f) * place
      if ((byte & 0x80) === 0) return value
    }
    throw damaged()
  }

  skip(bytes: number): void {
    this.at += bytes
    if (this.at > this.#bytes.length) throw damaged()
  }

  text(length: number): string {
    const start = this.at
    this.skip(length)
    return this.#bytes.toString('latin1', start, this.at)
  }
}
