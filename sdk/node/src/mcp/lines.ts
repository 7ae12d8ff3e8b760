/** Maximum number of characters of a line. The server accepts messages of up to 2 MiB. */
export const longestLine = 2 * 1024 * 1024

/** Joins chunks of text to lines. A line that is too long becomes undefined, and its text is not kept. */
class LineBuffer {
  #line: string | undefined = ''

  /** Returns the lines that end in the chunk. */
  add(chunk: string): (string | undefined)[] {
    const [first = '', ...others] = chunk.split('\n')
    this.#append(first)
    return others.map((part) => {
      const line = this.end()
      this.#append(part)
      return line
    })
  }

  /** Returns the current line and starts the next one. */
  end(): string | undefined {
    const line = this.#line
    this.#line = ''
    return line
  }

  #append(part: string): void {
    if (this.#line === undefined) return
    this.#line = this.#line.length + part.length > longestLine ? undefined : this.#line + part
  }
}

/** Yields the lines of a stream. Yields undefined instead of a line that is too long. */
export async function* readLines(input: AsyncIterable<Uint8Array | string>): AsyncGenerator<string | undefined> {
  const decoder = new TextDecoder()
  const buffer = new LineBuffer()
  for await (const chunk of input) {
    yield* buffer.add(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
  }
  const last = buffer.end()
  if (last !== '') yield last
}
