export interface Windows {
  /** Size of a window in bytes, including the overlap. */
  size: number
  /** Number of bytes that a window repeats from the window before it, so that no match of this length is cut in two. */
  overlap: number
}

/** Returns the first `size` bytes of a stream, and the complete stream with them. */
export async function readAhead(
  bytes: AsyncIterable<Buffer>,
  size: number,
): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const chunks = bytes[Symbol.asyncIterator]()
  let head: Buffer = Buffer.alloc(0)
  while (head.length < size) {
    const { value, done } = await chunks.next()
    if (done) break
    head = Buffer.concat([head, value])
  }
  async function* all() {
    yield head
    for (;;) {
      const { value, done } = await chunks.next()
      if (done) return
      yield value
    }
  }
  return { head: head.subarray(0, size), all: all() }
}

/**
 * Yields windows of a stream. Each window is read completely before the next one, and only the overlap is kept in
 * memory.
 */
export async function* windowsOfStream(
  bytes: AsyncIterable<Buffer>,
  { size, overlap }: Windows,
): AsyncGenerator<AsyncGenerator<Buffer>> {
  const chunks = bytes[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  let kept: Buffer = Buffer.alloc(0)
  let ended = false

  async function next(): Promise<Buffer | undefined> {
    if (rest.length > 0) {
      const given = rest
      rest = Buffer.alloc(0)
      return given
    }
    const { value, done } = await chunks.next()
    if (done) ended = true
    return done ? undefined : value
  }

  async function* window(first: Buffer): AsyncGenerator<Buffer> {
    let left = size - kept.length
    if (kept.length > 0) yield kept
    for (let chunk: Buffer | undefined = first; chunk !== undefined; chunk = left > 0 ? await next() : undefined) {
      const piece = chunk.subarray(0, left)
      rest = chunk.subarray(piece.length)
      left -= piece.length
      kept = Buffer.concat([kept, piece]).subarray(-overlap)
      yield piece
    }
  }

  for (let first = await next(); first !== undefined; first = ended ? undefined : await next()) yield window(first)
}
