/** The thread in which one page is read; it posts each reading, the better ones later, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadInput } from './page-reader.ts'
import { readPage, readPages } from './read-page.ts'

const { bytes, declaredType, pages } = workerData as ThreadInput
for (const reading of pages ? [readPages(pages)] : readPage(bytes, declaredType)) parentPort?.postMessage(reading)
