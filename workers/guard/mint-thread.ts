/** A thread that mints a batch of puzzles whenever it is asked for one. */
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { mintPuzzle } from './puzzle.ts'

/** Puzzles in a batch: about an eighth of a second, so that little is lost with the thread. */
const batch = 8

// On Linux this is the thread's own: what serves visitors goes before what is minted ahead.
setPriority(10)

parentPort?.on('message', () => {
  parentPort?.postMessage(Array.from({ length: batch }, mintPuzzle))
})
