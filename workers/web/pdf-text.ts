import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mustIsolate } from '../sandbox/isolation.ts'
import { outputOf } from '../sandbox/program-output.ts'
import { isThere, usualPath } from '../sandbox/programs.ts'

/** What one document may take: poppler needs some 60 MB for most, and 2 s for a thousand pages. */
const [memoryBytes, cpuSeconds, timeout] = [512 * 2 ** 20, 20, 30_000]

/** Bytes of text that are read of a document, and its pages at most. */
const [mostBytes, mostPages] = [8 * 2 ** 20, 5_000]

/** Bytes are no document that poppler reads: damaged, encrypted, or too much for its bounds. */
export class UnreadableDocument extends Error {
  override name = 'UnreadableDocument'
}

export const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'

/** Whether this machine can read PDFs. */
export const readsPdf = (): Promise<boolean> => isThere('pdftotext')

/**
 * The text of each page of a PDF, paragraphs apart by empty lines, read by poppler in a sandbox without network that sees these bytes and
 * nothing else. Throws `UnreadableDocument`.
 */
export async function pdfPages(bytes: Uint8Array, signal: AbortSignal): Promise<string[]> {
  const isolate = await mustIsolate(usualPath)
  const folder = await mkdtemp(join(tmpdir(), 'millrace-pdf-'))
  try {
    const path = join(folder, 'document.pdf')
    await writeFile(path, bytes, { mode: 0o600 })
    await using file = await open(path)
    const program = ['pdftotext', '-q', '-enc', 'UTF-8', '-l', String(mostPages), '/dev/stdin', '-']
    const output = outputOf({
      command: [...isolate({ memoryBytes, fileBytes: 0, cpuSeconds, nice: 10 }), ...program],
      path: usualPath,
      signal,
      timeout,
      called: 'pdftotext',
      locale: 'C.UTF-8',
      input: file.fd,
      onLine() {},
    })
    const text = await textOf(output)
    // Each page ends with a form feed, the last one, too.
    const pages = text.split('\f')
    return pages.at(-1)?.trim() === '' ? pages.slice(0, -1) : pages
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function textOf(output: ReturnType<typeof outputOf>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for (;;) {
    const { done, value } = await output.next()
    if (done) {
      if (value.code === 0) return Buffer.concat(chunks).toString()
      throw new UnreadableDocument('The document cannot be read: it is damaged, encrypted, or takes too long.')
    }
    length += value.length
    chunks.push(value)
    if (length > mostBytes) {
      await output.return(value as never)
      return Buffer.concat(chunks).subarray(0, mostBytes).toString()
    }
  }
}
