import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFairSlots } from '#lib/fair-slots.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { PageUnreadable } from '#tasks/wiki/engine.ts'
import { mustIsolate } from '../sandbox/isolation.ts'
import { outputOf } from '../sandbox/program-output.ts'
import { isThere, usualPath } from '../sandbox/programs.ts'
import { feedsOf, type PdfText } from './pdf-pages.ts'

/** Documents that a process has poppler read at once, one of an organisation. */
const slots = createFairSlots({ slots: 2, slotsOfOne: 1 })

/** What one document may take: poppler needs some 60 MB for most, and 2 s for a thousand pages. */
const [memoryBytes, cpuSeconds, timeout] = [512 * 2 ** 20, 20, 30_000]

/** Bytes of text that are read of a document, and its pages at most. */
const [mostBytes, mostPages] = [8 * 2 ** 20, 5_000]

/** Bytes of what is said about a document, its title and other texts of the author's before all. */
const mostFacts = 2 ** 20

export const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

/** Whether this machine can read PDFs. */
export const readsPdf = async (): Promise<boolean> => (await isThere('pdftotext')) && (await isThere('pdfinfo'))

/**
 * The text of a PDF, paragraphs apart by empty lines, read by poppler in a sandbox without network that sees these bytes and nothing
 * else. Throws `PageUnreadable` for what is damaged, encrypted, or too much for its bounds.
 */
export async function pdfText(
  scratch: Pick<Scratch, 'attempt'>,
  bytes: Uint8Array,
  orgId: string,
  signal: AbortSignal,
): Promise<PdfText> {
  using _ = await slots.take(orgId, signal)
  const isolate = await mustIsolate(usualPath)
  await using folder = await scratch.attempt(bytes.length)
  const path = join(folder.path, 'document.pdf')
  await writeFile(path, bytes, { mode: 0o600 })
  await using file = await open(path)
  const run = (program: readonly [string, ...string[]], most: number) =>
    told(
      outputOf({
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
  const isPaged = feedsOf(text, mostPages) === Math.min(pagesIn(facts.toString()), mostPages) && text.at(-1) === 12
  return { bytes: text, isPaged }
}

/** How many pages a document has: the last line of that name, as the author's texts come before it. */
const pagesIn = (facts: string): number =>
  Number(
    facts
      .split('\n')
      .findLast((line) => line.startsWith('Pages:'))
      ?.slice('Pages:'.length),
  )

/** What a program says, up to so many bytes. */
async function told(output: ReturnType<typeof outputOf>, most: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { done, value } = await output.next()
    if (done) {
      if (value.code === 0) return Buffer.concat(chunks)
      signal.throwIfAborted()
      throw new PageUnreadable('The document cannot be read: it is damaged or encrypted, or reading it takes too long.')
    }
    length += value.length
    chunks.push(value)
    if (length > most) {
      await output.return(value as never)
      return Buffer.concat(chunks).subarray(0, most)
    }
  }
}
