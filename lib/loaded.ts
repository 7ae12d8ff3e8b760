import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { config } from './config.ts'

/**
 * Frees the memory that only loading needed. Call this function after a process has loaded its code and before its
 * first request or job. With START_HELD, resolves when standard input ends, because the required services are then
 * available.
 */
export async function finishLoading(): Promise<void> {
  await giveBackMemory()
  if (!config.START_HELD) return
  process.stdin.resume()
  await once(process.stdin, 'end')
}

/**
 * Returns the memory that V8 allocated during loading to the system. Otherwise V8 keeps this memory, a third of the
 * process, until the process is busy. If all areas are loaded, this call blocks the event loop for a quarter of a
 * second.
 */
export async function giveBackMemory(): Promise<void> {
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}
