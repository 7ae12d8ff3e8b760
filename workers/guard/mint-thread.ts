import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { mintPuzzle } from './puzzle.ts'

/**
 * Number of puzzles per batch. A batch takes about an eighth of a second, so that little work is lost if the thread
 * dies.
 */
const batch = 8

// On Linux, this sets the priority of this thread only. Serving visitors has priority over creating puzzles in advance.
setPriority(10)

parentPort?.on('message', () => {
  parentPort?.postMessage(Array.from({ length: batch }, mintPuzzle))
})
