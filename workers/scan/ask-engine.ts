import { Readable } from 'node:stream'
import type { Inspection } from './inspection.ts'
import { RefusalError } from './refusal.ts'
import { chunksOf, type Source } from './source.ts'
import type { Verdict } from './verdict.ts'

/** Sends a content to the engine. The engine must read all of it to report it as clean. */
export async function scanWithEngine(inspection: Inspection, source: Source, path: string[]): Promise<void> {
  if (source.size === 0) return
  const stream = Readable.from(chunksOf(source), { objectMode: false, highWaterMark: 256 * 1024 })
  await scanStreamWithEngine(inspection, stream, source.size, path)
}

/** Sends a stream to the engine. `size` is in bytes, or `null` if it is unknown. */
export async function scanStreamWithEngine(
  inspection: Inspection,
  stream: Readable,
  size: number | null = null,
  path: string[] = [],
): Promise<void> {
  stream.on('error', () => {})
  try {
    const verdict = await inspection.engine.scan(stream, size, inspection.signal)
    if (verdict.status === 'clean' && !stream.readableEnded)
      throw new Error('The scanner reported a file as clean without reading all of it.')
    noteVerdict(inspection, verdict, path)
  } finally {
    stream.destroy()
  }
}

export async function scanBytesWithEngine(inspection: Inspection, bytes: Buffer, path: string[]): Promise<void> {
  noteVerdict(inspection, await inspection.engine.scanBytes(bytes, inspection.signal), path)
}

/** Lets the engine read the file in place. If the engine cannot read the file, sends its bytes. */
export async function scanFileWithEngine(inspection: Inspection, source: Source): Promise<void> {
  const { engine, file, signal } = inspection
  const verdict = await engine.scanFile(file.path, source.size, signal)
  if (verdict === null) await scanWithEngine(inspection, source, [])
  else noteVerdict(inspection, verdict, [])
}

/** Records why the engine does not report a content as clean. Ends the examination if the content is infected. */
function noteVerdict(inspection: Inspection, { status, signature }: Verdict, path: string[]): void {
  inspection.signal.throwIfAborted()
  if (status === 'error') throw new Error(`The scanner failed: ${signature ?? 'no reason given'}.`)
  if (status === 'clean') return
  const named = signature ?? 'unnamed'
  if (status === 'infected') inspection.infected({ code: 'malware', detail: `The scanner found ${named}.` }, path)
  inspection.noteRefusal(new RefusalError(status, `scanner_${status}`, `The scanner reports ${named}.`), path)
}
