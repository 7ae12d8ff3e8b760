import { Worker } from 'node:worker_threads'
import { createFairSlots } from '#lib/fair-slots.ts'
import type { Scratch } from '#tasks/video/pools.ts'
import { type PageReader, PageUnreadable, type Reading } from '#tasks/wiki/engine.ts'
import type { PdfText } from './pdf-pages.ts'
import { isPdf, pdfText, readsPdf } from './pdf-text.ts'

const program = new URL('./page-thread.ts', import.meta.url)

/** What one page may take: hostile ones have a parser work in squares of their length. */
const mostMs = 10_000
const resourceLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 64, stackSizeMb: 4 }
/** Pages that are read at once in a process, and those of one organisation: no other waits for what is costly in them. */
const [atOnce, ofEach] = [2, 1]

/** Reads pages, each in a thread of its own that ends with it: no page can hold up or fill the process, or see another. */
export function createPageReader(scratch: Pick<Scratch, 'attempt'>, { timeout = mostMs } = {}): PageReader {
  const slots = createFairSlots({ slots: atOnce, slotsOfOne: ofEach })
  return {
    async read(bytes, declaredType = '', orgId, signal) {
      using _ = await slots.take(orgId, signal)
      const pdf = isPdf(bytes) && (await readsPdf()) ? await textOf(scratch, bytes, orgId, signal) : undefined
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
  // A copy of its own: what a thread is given is all of the memory that it lies in.
  return { ...text, bytes: new Uint8Array(text.bytes) }
}

/** What a thread is given: bytes, or the text of a document. */
export type ThreadInput = { bytes: Uint8Array; declaredType: string } | { pdf: PdfText }

/** The best reading that a thread comes to in time. */
async function inThread(workerData: ThreadInput, timeout: number, signal: AbortSignal): Promise<Reading> {
  // Without an environment: a page that broke out of its parser would find no secret in it.
  const thread = new Worker(program, { workerData, resourceLimits, env: {}, execArgv: [] })
  const { promise, resolve } = Promise.withResolvers<string>()
  const stop = () => resolve('Reading the document was stopped.')
  const late = setTimeout(() => resolve(`The document could not be read within ${timeout / 1000} s.`), timeout)
  let best: Reading | undefined
  thread.on('message', (reading: Reading) => {
    best = reading
  })
  thread.on('error', () => resolve('The document could not be read.'))
  thread.on('exit', () => resolve('The document contains no readable text.'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const why = await promise
    signal.throwIfAborted()
    if (!best) throw new PageUnreadable(why)
    return best
  } finally {
    clearTimeout(late)
    signal.removeEventListener('abort', stop)
    await thread.terminate()
  }
}
