/** Maximum size in bytes of a box from a packager. It is large enough for a frame of 8K video. */
const largestBox = 64 * 1024 * 1024

/** Splits the bytes of a pipe into top-level boxes (ISO/IEC 14496-12, 4.2). Throws a `RangeError` for invalid data. */
export async function* readBoxes(pipe: AsyncIterable<Buffer>): AsyncGenerator<{ type: string; bytes: Buffer }> {
  let held: Buffer[] = []
  let length = 0
  let wanted = 8
  for await (const chunk of pipe) {
    held.push(chunk)
    length += chunk.length
    while (length >= wanted) {
      const bytes: Buffer = held.length === 1 ? (held[0] as Buffer) : Buffer.concat(held)
      held = [bytes]
      wanted = bytes.readUInt32BE(0)
      if (wanted < 8 || wanted > largestBox)
        throw new RangeError(`The packager wrote a box with an invalid size of ${wanted} bytes.`)
      if (length < wanted) break
      yield { type: bytes.toString('latin1', 4, 8), bytes: bytes.subarray(0, wanted) }
      held = [bytes.subarray(wanted)]
      length -= wanted
      wanted = 8
    }
  }
}
