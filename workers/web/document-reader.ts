import { createFairSlots } from '#lib/slots.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import type { DocumentReader, DocumentText } from '#tasks/bots/engine.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { type PageReader, PageUnreadableError } from '#tasks/wiki/engine.ts'
import type { work } from './docx-thread.ts'
import { splitPages } from './pdf-pages.ts'
import { canReadPdf, isPdf, pdfText } from './pdf-text.ts'

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

const isZip = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 4)).toString('latin1') === 'PK\x03\x04'

/**
 * Creates a reader of documents that uses a page reader. Untrusted documents are read with limits for time and memory.
 */
export function createDocumentReader(
  pages: PageReader,
  scratch: Pick<Scratch, 'attempt'>,
): DocumentReader & { close(): Promise<void> } {
  const limits = { threads: 2, seconds: 15, megabytes: 256 }
  const slots = createFairSlots({ slots: limits.threads, slotsOfOne: 1 })
  const threads = threadPool<typeof work>(new URL('./docx-thread.ts', import.meta.url), limits)

  async function readDocx(bytes: Uint8Array, orgId: string, signal: AbortSignal): Promise<DocumentText> {
    using _ = await slots.take(orgId, signal)
    try {
      const read = await threads.run(new Uint8Array(bytes), signal)
      if (typeof read === 'string') throw new PageUnreadableError(read)
      return { type: docx, ...read }
    } catch (error) {
      if (error instanceof ThreadLimitError && error.limit !== 'waiting') throw new PageUnreadableError(error.message)
      throw error
    }
  }

  return {
    async readText(bytes, declaredType, orgId, signal) {
      if (isZip(bytes)) return await readDocx(bytes, orgId, signal)
      if (isPdf(bytes)) return await readPdf(scratch, bytes, orgId, signal)
      const { type, title, text } = await pages.read(bytes, declaredType, orgId, signal)
      if (text === null) throw new PageUnreadableError(`The document is ${type}. No text can be read from this type.`)
      return { type, title, text }
    },
    close: () => threads.close(),
  }
}

async function readPdf(
  scratch: Pick<Scratch, 'attempt'>,
  bytes: Uint8Array,
  orgId: string,
  signal: AbortSignal,
): Promise<DocumentText> {
  if (!(await canReadPdf()))
    throw new PageUnreadableError('PDF files cannot be read because pdftotext is not installed.')
  const pdf = await pdfText(scratch, bytes, orgId, signal)
  const end = pdf.isPaged ? '\f' : ''
  const text = splitPages(pdf).map((page) => `${page.trimEnd()}${end}`)
  return { type: 'application/pdf', title: null, text: text.join('') }
}
