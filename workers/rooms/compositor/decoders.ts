import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Name prefix of the decoder threads. A thread name can have 15 characters. */
export const decoderPrefix = 'decode'

/** Niceness of decoder threads. Output threads and other processes of the machine have a higher priority. */
const priority = 5

/**
 * Gives the output threads of this process priority over the decoder threads. Returns the number of decoder threads.
 */
export function lowerDecoderPriority(): number {
  return readdirSync('/proc/self/task').filter(yields).length
}

function yields(thread: string): boolean {
  try {
    if (!readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith(decoderPrefix)) return false
    setPriority(Number(thread), priority)
    return true
  } catch {
    return false
  }
}
