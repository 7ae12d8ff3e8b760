import { Readable } from 'node:stream'
import type { Examination, ExaminedFile } from '#tasks/files/engine.ts'
import { scanStreamWithEngine } from './ask-engine.ts'
import { checkDeclaredType } from './checks.ts'
import { InfectedFileError, Inspection } from './inspection.ts'
import { archives, type Family } from './kinds/kind.ts'
import { canBePdf, headSize, sniff } from './kinds/sniff.ts'
import { type Engine, usualLimits } from './verdict.ts'
import { readAhead, type Windows, windowsOfStream } from './windows.ts'

const mebibyte = 1024 ** 2

/** The engine gets at most 256 MiB at a time, so that it answers within its time limit. */
export const usualWindows = (maxBytes: number): Windows => {
  const size = Math.min(256 * mebibyte, maxBytes)
  return { size, overlap: Math.min(4 * mebibyte, Math.floor(size / 4)) }
}

/** Kinds whose content is not in their plain bytes, or is run. They never pass without a complete scan. */
const neverPlain: readonly (Family | undefined)[] = [
  ...archives,
  'ole',
  'pdf',
  'html',
  'svg',
  'program',
  'library',
  'script',
  'shortcut',
  'disk-image',
]

/** End of a zip archive, which can follow other bytes (APPNOTE.TXT 4.3.16). */
const zipEnd = Buffer.from('PK\x05\x06')

const tailSize = 66 * 1024

/**
 * Scans a file that is larger than the limit of the engine, in windows that overlap, while it is read. Such a file is
 * unscannable, because nothing in it was unpacked. With `acceptsLarge`, a file of a plain kind is clean.
 */
export async function examineStream(
  file: Omit<ExaminedFile, 'path'>,
  bytes: AsyncIterable<Buffer>,
  engine: Engine,
  { signal, windows, acceptsLarge }: { signal: AbortSignal; windows: Windows; acceptsLarge: boolean },
): Promise<Examination> {
  const inspection = new Inspection({ ...file, path: '' }, engine, signal, usualLimits)
  const { head, all } = await readAhead(bytes, headSize)
  const kind = sniff(head)
  inspection.sniffedType = kind?.type ?? null
  const about = {
    names: [file.name] as [string],
    declaredType: file.declaredType,
    path: [],
    within: 'nothing' as const,
    depth: 0,
  }
  for (const reason of checkDeclaredType(about, kind)) inspection.note('suspicious', reason, [])
  let tail: Buffer = Buffer.alloc(0)
  const seen = async function* () {
    for await (const chunk of all) {
      tail = Buffer.concat([tail, chunk]).subarray(-tailSize)
      yield chunk
    }
  }
  try {
    for await (const window of windowsOfStream(seen(), windows))
      await scanStreamWithEngine(inspection, Readable.from(window, { objectMode: false }))
  } catch (error) {
    if (!(error instanceof InfectedFileError)) throw error
    return inspection.examination()
  }
  const isPlain = !neverPlain.includes(kind?.family) && !canBePdf(head) && !tail.includes(zipEnd)
  return withReason(inspection.examination(), acceptsLarge && isPlain, windows)
}

/** Adds the reason that says how the file was scanned, to a clean file too. */
function withReason(found: Examination, passes: boolean, { size }: Windows): Examination {
  const detail = `The file is larger than the limit of the scanner. It was scanned in overlapping windows of ${size} bytes and not unpacked.`
  const status = found.status === 'clean' && !passes ? 'unscannable' : found.status
  return { ...found, status, reasons: [...found.reasons, { code: 'scanned_in_windows', detail }] }
}
