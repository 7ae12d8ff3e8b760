/**
 * Bytes on their way: whoever has them hands them on chunk by chunk, and whoever wants them iterates. At most one chunk waits,
 * and none any more once nobody wants them.
 */
export class Arriving implements AsyncIterable<Buffer> {
  /** How many bytes were handed on. */
  size = 0
  #waiting: Buffer | null = null
  #isOver = false
  #isUnwanted = false
  #room = Promise.withResolvers<void>()
  #news = Promise.withResolvers<void>()

  /** Hands on a chunk, when the one before has been taken. */
  async add(chunk: Buffer): Promise<void> {
    this.size += chunk.length
    while (this.#waiting !== null && !this.#isUnwanted) await this.#room.promise
    if (this.#isUnwanted) return
    this.#waiting = chunk
    this.#room = Promise.withResolvers()
    this.#news.resolve()
  }

  /** There are no more. */
  end(): void {
    this.#isOver = true
    this.#news.resolve()
  }

  /** Nobody wants them any more. */
  drop(): void {
    this.#isUnwanted = true
    this.#room.resolve()
    this.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        while (this.#waiting === null && !this.#isOver) await this.#news.promise
        const chunk = this.#waiting
        if (chunk === null) return
        this.#waiting = null
        this.#news = Promise.withResolvers()
        if (this.#isOver) this.#news.resolve()
        this.#room.resolve()
        yield chunk
      }
    } finally {
      this.drop()
    }
  }
}
