import { headSize } from './kinds/sniff.ts'

/** The first bytes of a content, of which there are `headSize` unless it is shorter, and all of its chunks. */
export async function behindHead(
  rest: AsyncGenerator<Buffer>,
): Promise<{ head: Buffer; chunks: AsyncGenerator<Buffer> }> {
  const first: Buffer[] = []
  const fault: { error?: unknown } = {}
  try {
    for (let size = 0; size < headSize; ) {
      const { value, done } = await rest.next()
      if (done) break
      first.push(value)
      size += value.length
    }
  } catch (error) {
    fault.error = error
  }
  const chunks = async function* () {
    yield* first
    if ('error' in fault) throw fault.error
    yield* rest
  }
  return { head: Buffer.concat(first).subarray(0, headSize), chunks: chunks() }
}
