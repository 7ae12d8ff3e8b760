import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import { config } from './config.ts'

/**
 * Called once a process has loaded its code, before its first request or job: gives back the memory that only loading needed, and,
 * with START_HELD, resolves when standard input ends, as what the process needs is there by then.
 */
export async function loaded(): Promise<void> {
  await giveBackMemory()
  if (!config.START_HELD) return
  process.stdin.resume()
  await once(process.stdin, 'end')
}

/**
 * V8 keeps what it allocated while loading, a third of a process, until one is busy. This holds the event loop, for a quarter of a
 * second with all areas.
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
