import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { config } from './config.ts'

/**
 * Call this when a process has loaded its code, before its first request or job. Frees the memory that only loading
 * needed. With START_HELD, resolves when standard input ends, because then the required services are available.
 */
export async function finishLoading(): Promise<void> {
  await giveBackMemory()
  if (!config.START_HELD) return
  process.stdin.resume()
  await once(process.stdin, 'end')
}

/**
 * V8 keeps the memory it allocated during loading, a third of the process, until the process is busy. This call blocks
 * the event loop for a quarter of a second with all areas.
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
