import { S3Error } from './errors.ts'

/** Reads lines and bytes from a stream. Buffers only one chunk of the stream. */
export class ByteReader {
  readonly #source: AsyncIterator<Buffer>
  #held: Buffer = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Reads a line without its CRLF. Throws IncompleteBody if it is longer than `limit` bytes or has no end. */
  async line(limit: number): Promise<string> {
    let text = ''
    for (;;) {
      const end = this.#held.indexOf(10)
      text += this.#cut(end < 0 ? Math.min(this.#held.length, limit + 2) : end + 1).toString('latin1')
      if (text.length > limit + 2) break
      if (end >= 0 && text.endsWith('\r\n')) return text.slice(0, -2)
      if (end >= 0 || text.length === limit + 2 || !(await this.#fill())) break
    }
    throw new S3Error('IncompleteBody', 'The body does not have the framing in its headers.')
  }

  /** Reads 1 to `limit` bytes. Throws IncompleteBody at the end. */
  async take(limit: number): Promise<Buffer> {
    if (!(await this.#fill())) throw new S3Error('IncompleteBody', 'The body ends within a chunk.')
    return this.#cut(Math.min(limit, this.#held.length))
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill())
  }

  async #fill(): Promise<boolean> {
    while (this.#held.length === 0) {
      const next = await this.#source.next()
      if (next.done) return false
      this.#held = next.value
    }
    return true
  }

  #cut(length: number): Buffer {
    const head = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return head
  }
}
