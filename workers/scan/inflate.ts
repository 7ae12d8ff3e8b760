import { pipeline, Readable, type Transform } from 'node:stream'
import { createInflateRaw } from 'node:zlib'
import { malformed } from './refusal.ts'
import { chunksOf, type Source } from './source.ts'

/** How many packed bytes the data took; known when all is through. */
export interface Passed {
  consumed: number
}

/** A stream of `node:zlib`, which stops where the packed data end. */
type Unpacker = Transform & { bytesWritten: number }

const isTheirs = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(?:Z_(?:DATA|BUF|NEED|STREAM)|ZSTD_error)/.test(String(error.code))

/** Inflates the deflate stream (RFC 1951) that a range begins with, chunk by chunk; what follows its end is left alone. */
export const inflate = (packed: Source, passed: Passed, signal: AbortSignal): AsyncGenerator<Buffer> =>
  unpacked(createInflateRaw({ chunkSize: 64 * 1024 }), packed, passed, signal)

/** What an unpacker makes of the packed data that a range begins with, chunk by chunk. */
export async function* unpacked(
  unpacker: Unpacker,
  packed: Source,
  passed: Passed,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const raw = Readable.from(chunksOf(packed), { highWaterMark: 1 })
  pipeline(raw, unpacker, () => {})
  try {
    for await (const chunk of unpacker) {
      signal.throwIfAborted()
      yield chunk as Buffer
    }
  } catch (error) {
    signal.throwIfAborted()
    if (isTheirs(error)) throw malformed(`The packed data are damaged: ${(error as Error).message}.`)
    throw error
  }
  passed.consumed = unpacker.bytesWritten
}
