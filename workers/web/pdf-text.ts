import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFairSlots } from '#lib/slots.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { PageUnreadableError } from '#tasks/wiki/engine.ts'
import { requireIsolation } from '../sandbox/isolation.ts'
import { streamOutput } from '../sandbox/program-output.ts'
import { isInstalled, usualPath } from '../sandbox/programs.ts'
import { countFormFeeds, type PdfText } from './pdf-pages.ts'

const slots = createFairSlots({ slots: 2, slotsOfOne: 1 })

/**
 * Limits for one document: memory in bytes, CPU time in seconds, and timeout in milliseconds. Poppler needs about 60 MB
 * for most documents, and 2 s for a thousand pages.
 */
const [memoryBytes, cpuSeconds, timeout] = [512 * 2 ** 20, 20, 30_000]

const [mostBytes, mostPages] = [8 * 2 ** 20, 5_000]

/** Maximum size of metadata in bytes. Metadata is mainly the title and other texts of the author. */
const mostFacts = 2 ** 20

export const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

export const canReadPdf = async (): Promise<boolean> =>
  (await isInstalled('pdftotext')) && (await isInstalled('pdfinfo'))

/**
 * Returns the text of a PDF, with empty lines between paragraphs. Poppler reads the PDF in a sandbox without network
 * that contains only these bytes. Throws `PageUnreadableError` for damaged or encrypted documents, or if a limit is
 * exceeded.
 */
export async function pdfText(
  scratch: Pick<Scratch, 'attempt'>,
  bytes: Uint8Array,
  orgId: string,
  signal: AbortSignal,
): Promise<PdfText> {
  using _ = await slots.take(orgId, signal)
  const isolate = await requireIsolation(usualPath)
  await using folder = await scratch.attempt(bytes.length)
  const path = join(folder.path, 'document.pdf')
  await writeFile(path, bytes, { mode: 0o600 })
  await using file = await open(path)
  const run = (program: readonly [string, ...string[]], most: number) =>
    told(
      streamOutput({
        command: [...isolate({ memoryBytes, fileBytes: 0, cpuSeconds, nice: 10 }), ...program],
        path: usualPath,
        signal,
        timeout,
        called: program[0],
        locale: 'C.UTF-8',
        input: file.fd,
        onLine() {},
      }),
      most,
      signal,
    )
  const facts = await run(['pdfinfo', '/dev/stdin'], mostFacts)
  const limits = ['-q', '-enc', 'UTF-8', '-l', String(mostPages)]
  const text = await run(['pdftotext', ...limits, '/dev/stdin', '-'], mostBytes)
  const isPaged =
    countFormFeeds(text, mostPages) === Math.min(pagesIn(facts.toString()), mostPages) && text.at(-1) === 12
  return { bytes: text, isPaged }
}

/** Returns the number of pages, from the last line with this name. Texts of the author come before that line. */
const pagesIn = (facts: string): number =>
  Number(
    facts
      .split('\n')
      .findLast((line) => line.startsWith('Pages:'))
      ?.slice('Pages:'.length),
  )

async function told(output: ReturnType<typeof streamOutput>, most: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { done, value } = await output.next()
    if (done) {
      if (value.code === 0) return Buffer.concat(chunks)
      signal.throwIfAborted()
      throw new PageUnreadableError(
        'The document cannot be read: it is damaged or encrypted, or reading it takes too long.',
      )
    }
    length += value.length
    chunks.push(value)
    if (length > most) {
      await output.return(value as never)
      return Buffer.concat(chunks).subarray(0, most)
    }
  }
}
