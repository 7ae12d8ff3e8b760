import { threadId } from 'node:worker_threads'

/** Work of the tests in a thread. */
export function work(given: 'spin' | 'fill' | 'throw' | 'exit' | { sum: Uint8Array } | 'environment' | 'id'): unknown {
  if (given === 'spin') for (;;);
  if (given === 'exit') process.exit(1)
  if (given === 'id') return threadId
  if (given === 'throw') throw new RangeError('thrown in the thread')
  // biome-ignore lint/style/noProcessEnv: that there is nothing in it is what is asked.
  if (given === 'environment') return Object.keys(process.env)
  if (given === 'fill') for (const all: string[][] = []; ; ) all.push(Array.from({ length: 1e5 }, (_, i) => `${i}`))
  return given.sum.reduce((sum, each) => sum + each, 0)
}
