import { Readable } from 'node:stream'
import type { Inspection } from './inspection.ts'
import { Refusal } from './refusal.ts'
import { chunksOf, type Source } from './source.ts'
import type { Verdict } from './verdict.ts'

/**
 * Gives a content to the engine while its chunks are handed to `keep`. It may not call clean what it has not read; where it
 * knows otherwise before the end, and closes the stream, a `Refusal` says so, for nobody has then read the rest.
 */
export async function askEngine(
  inspection: Inspection,
  chunks: AsyncIterable<Buffer>,
  size: number | null,
  path: string[],
  keep: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const fault: { error?: unknown } = {}
  const passed = { all: false }
  // A content that breaks off ends the engine's stream in order: what was read of it is still looked at.
  const watched = async function* (first: Buffer) {
    try {
      for (let next: IteratorResult<Buffer> = { value: first }; !next.done; next = await iterator.next()) {
        if (next.value.length === 0) continue
        await keep(next.value)
        yield next.value
      }
      passed.all = true
    } catch (error) {
      fault.error = error
    }
  }
  try {
    const first = await iterator.next()
    if (first.done) return
    await scanStream(inspection, watched(first.value), size, path, () => passed.all || 'error' in fault)
    if ('error' in fault) throw fault.error
  } finally {
    await iterator.return?.()
  }
}

async function scanStream(
  inspection: Inspection,
  chunks: AsyncGenerator<Buffer>,
  size: number | null,
  path: string[],
  isThrough: () => boolean,
): Promise<void> {
  const stream = Readable.from(chunks, { objectMode: false, highWaterMark: 256 * 1024 })
  stream.on('error', () => {})
  try {
    const doubt = doubtOf(inspection, await inspection.engine.scan(stream, size, inspection.signal), path)
    const left = await readRest(stream)
    if (doubt === null) {
      if (left > 0 || !isThrough()) throw new Error('The scanner called clean what it had not read.')
      return
    }
    if (!isThrough()) throw doubt
    inspection.noteRefusal(doubt, path)
  } finally {
    stream.destroy()
  }
}

/** Gives the engine a content that is in memory. */
export async function askOfBytes(inspection: Inspection, bytes: Buffer, path: string[]): Promise<void> {
  const doubt = doubtOf(inspection, await inspection.engine.scanBytes(bytes, inspection.signal), path)
  if (doubt !== null) inspection.noteRefusal(doubt, path)
}

/** Has the engine read the file itself where it lies, or else gives it the bytes. */
export async function askOfFile(inspection: Inspection, source: Source): Promise<void> {
  const { engine, file, signal } = inspection
  const verdict = await engine.scanFile(file.path, source.size, signal)
  if (verdict === null) return await askEngine(inspection, chunksOf(source), source.size, [], async () => {})
  const doubt = doubtOf(inspection, verdict, [])
  if (doubt !== null) inspection.noteRefusal(doubt, [])
}

/** Why a content is not clean in the engine's eyes, null where it is; ends the examination of one that is infected. */
function doubtOf(inspection: Inspection, { status, signature }: Verdict, path: string[]): Refusal | null {
  inspection.signal.throwIfAborted()
  if (status === 'error') throw new Error(`The scanner failed: ${signature ?? 'it says no more'}.`)
  if (status === 'clean') return null
  const named = signature ?? 'unnamed'
  if (status === 'infected') inspection.infected({ code: 'malware', detail: `The scanner knows it as ${named}.` }, path)
  return new Refusal(status, `scanner_${status}`, `The scanner says ${named}.`)
}

/** Reads what the engine has left; returns how many bytes that were. */
async function readRest(stream: Readable): Promise<number> {
  let left = 0
  if (!stream.readableEnded && !stream.destroyed) for await (const chunk of stream) left += (chunk as Buffer).length
  return left
}
