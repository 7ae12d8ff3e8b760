import { parentPort } from 'node:worker_threads'
import { type Work, works } from './works.ts'

parentPort?.on('message', ({ work, request }: { work: Work; request: never }) => {
  parentPort?.postMessage(works[work](request))
})
