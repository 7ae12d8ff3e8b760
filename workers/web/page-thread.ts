/** Worker thread that reads one web page. It posts each reading, with better readings later, and exits. */
import { parentPort, workerData } from 'node:worker_threads'
import type { ThreadInput } from './page-reader.ts'
import { readPage, readPdf } from './read-page.ts'

const given = workerData as ThreadInput
const readings = 'pdf' in given ? [readPdf(given.pdf)] : readPage(given.bytes, given.declaredType)
for (const reading of readings) parentPort?.postMessage(reading)
