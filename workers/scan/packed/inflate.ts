import { pipeline, Readable, type Transform } from 'node:stream'
import { createInflateRaw, inflateRawSync } from 'node:zlib'
import { malformed } from '../refusal.ts'
import { chunksOf, type Source } from '../source.ts'

/** Number of packed bytes, known after the end. */
export interface InflateProgress {
  consumed: number
}

type Unpacker = Transform & { bytesWritten: number }

const isTheirs = (error: unknown) =>
  error instanceof Error && 'code' in error && /^(?:Z_(?:DATA|BUF|NEED|STREAM)|ZSTD_error)/.test(String(error.code))

/** Inflates a deflate stream (RFC 1951) in chunks. Data after its end is ignored. */
export const inflate = (packed: Source, passed: InflateProgress, signal: AbortSignal): AsyncGenerator<Buffer> =>
  unpackStream(createInflateRaw({ chunkSize: 64 * 1024 }), packed, passed, signal)

/**
 * Maximum number of packed or unpacked bytes for inflating in one call. For so few bytes, a stream costs more than the
 * inflating.
 */
const fewBytes = 256 * 1024

/** Inflates small data in one call and returns a list of one chunk. Returns `null` for larger or damaged data. */
export async function inflateAtOnce(packed: Source, size: number, passed: InflateProgress): Promise<Buffer[] | null> {
  if (packed.size > fewBytes || size > fewBytes || size === 0) return null
  const bytes = await packed.read(0, packed.size)
  try {
    const { buffer, engine } = inflateRawSync(bytes, { info: true, maxOutputLength: size }) as unknown as InflateResult
    passed.consumed = engine.bytesWritten
    return [buffer]
  } catch {
    return null
  }
}

interface InflateResult {
  buffer: Buffer
  engine: { bytesWritten: number }
}

export async function* unpackStream(
  unpacker: Unpacker,
  packed: Source,
  passed: InflateProgress,
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
    if (isTheirs(error)) throw malformed(`The packed data is damaged: ${(error as Error).message}.`)
    throw error
  }
  passed.consumed = unpacker.bytesWritten
}
