import { threadId } from 'node:worker_threads'

/** Shared with the test: whether the task has begun, and whether it can end. */
export const [begun, canEnd] = [0, 1]

type Given =
  | 'spin'
  | 'fill'
  | 'throw'
  | 'exit'
  | 'environment'
  | 'id'
  | { sum: Uint8Array }
  | { held: Int32Array<SharedArrayBuffer> }

/** Work of the tests in a thread. */
export function work(given: Given): unknown {
  if (given === 'spin') for (;;);
  if (given === 'exit') process.exit(1)
  if (given === 'id') return threadId
  if (given === 'throw') throw new RangeError('thrown in the thread')
  // biome-ignore lint/style/noProcessEnv: that there is nothing in it is what is asked.
  if (given === 'environment') return Object.keys(process.env)
  if (given === 'fill') for (const all: string[][] = []; ; ) all.push(Array.from({ length: 1e5 }, (_, i) => `${i}`))
  if ('held' in given) {
    Atomics.store(given.held, begun, 1)
    return Atomics.wait(given.held, canEnd, 0)
  }
  return given.sum.reduce((sum, each) => sum + each, 0)
}
