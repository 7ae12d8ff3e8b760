import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** What the threads that decode are named by; a thread's name has 15 characters. */
export const decoderPrefix = 'decode'

/** Below the threads that make the output, and by how much is left to everything else of the machine. */
const priority = 5

/** Lets the output's threads of this process go before those that decode; returns how many decode. */
export function yieldDecoders(): number {
  const threads = readdirSync('/proc/self/task').filter((id) => nameOf(id).startsWith(decoderPrefix))
  for (const id of threads) setPriority(Number(id), priority)
  return threads.length
}

function nameOf(thread: string): string {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8')
  } catch {
    // It has ended meanwhile.
    return ''
  }
}
