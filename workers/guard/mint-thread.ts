import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { mintPuzzle } from './puzzle.ts'

/** Puzzles per batch: about an eighth of a second, so that little is lost if the thread dies. */
const batch = 8

// On Linux, this is the priority of the thread only. Serving visitors has priority over creating puzzles in advance.
setPriority(10)

parentPort?.on('message', () => {
  parentPort?.postMessage(Array.from({ length: batch }, mintPuzzle))
})
