/** The thread in which one page is read; it posts each reading, the better ones later, and ends. */
import { parentPort, workerData } from 'node:worker_threads'
import { readPage } from './read-page.ts'

const { bytes, declaredType } = workerData as { bytes: Uint8Array; declaredType: string }
for (const reading of readPage(bytes, declaredType)) parentPort?.postMessage(reading)
