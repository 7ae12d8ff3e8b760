/** Worker thread that reads one page. It posts each reading, better ones later, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadInput } from './page-reader.ts'
import { readPage, readPdf } from './read-page.ts'

const given = workerData as ThreadInput
const readings = 'pdf' in given ? [readPdf(given.pdf)] : readPage(given.bytes, given.declaredType)
for (const reading of readings) parentPort?.postMessage(reading)
