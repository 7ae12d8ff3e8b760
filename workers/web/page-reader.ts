import { Worker } from 'node:worker_threads'
import { createFairSlots } from '#lib/slots.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { type PageContent, type PageReader, PageUnreadableError } from '#tasks/wiki/engine.ts'
import type { PdfText } from './pdf-pages.ts'
import { canReadPdf, isPdf, pdfText } from './pdf-text.ts'

const program = new URL('./page-thread.ts', import.meta.url)

/** Limits for one web page. The time of a parser can grow with the square of the length of a hostile page. */
const mostMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 }
/**
 * Maximum numbers of web pages that are read at the same time: in a process, and for one organisation, so that
 * expensive pages do not delay other organisations.
 */
const [atOnce, ofEach] = [2, 1]

/**
 * Creates a reader that reads each web page in a separate thread, which ends with the page. A page cannot block the
 * process, use up its memory, or access another page.
 */
export function createPageReader(scratch: Pick<Scratch, 'attempt'>, { timeout = mostMs } = {}): PageReader {
  const slots = createFairSlots({ slots: atOnce, slotsOfOne: ofEach })
  return {
    async read(bytes, declaredType = '', orgId, signal) {
      using _ = await slots.take(orgId, signal)
      const pdf = isPdf(bytes) && (await canReadPdf()) ? await textOf(scratch, bytes, orgId, signal) : undefined
      return await inThread(pdf ? { pdf } : { bytes: new Uint8Array(bytes), declaredType }, timeout, signal)
    },
  }
}

async function textOf(
  scratch: Pick<Scratch, 'attempt'>,
  bytes: Uint8Array,
  orgId: string,
  signal: AbortSignal,
): Promise<PdfText> {
  const text = await pdfText(scratch, bytes, orgId, signal)
  // The bytes are copied, because a thread receives the complete underlying buffer.
  return { ...text, bytes: new Uint8Array(text.bytes) }
}

export type ThreadInput = { bytes: Uint8Array; declaredType: string } | { pdf: PdfText }

async function inThread(workerData: ThreadInput, timeout: number, signal: AbortSignal): Promise<PageContent> {
  // There are no environment variables, so that a page that escapes its parser finds no secrets.
  const thread = new Worker(program, { workerData, resourceLimits, env: {}, execArgv: [] })
  const { promise, resolve } = Promise.withResolvers<string>()
  const stop = () => resolve('Reading the document was stopped.')
  const late = setTimeout(() => resolve(`The document could not be read within ${timeout / 1000} s.`), timeout)
  let best: PageContent | undefined
  thread.on('message', (reading: PageContent) => {
    best = reading
  })
  thread.on('error', () => resolve('The document could not be read.'))
  thread.on('exit', () => resolve('The document contains no readable text.'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const why = await promise
    signal.throwIfAborted()
    if (!best) throw new PageUnreadableError(why)
    return best
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', stop)
    await thread.terminate()
  }
}
