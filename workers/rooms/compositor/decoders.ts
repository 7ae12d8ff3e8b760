import { readdirSync, readFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** What the threads that decode are named by; a thread's name has 15 characters. */
export const decoderPrefix = 'decode'

/** Below the threads that make the output, and by how much is left to everything else of the machine. */
const priority = 5

/** Lets the output's threads of this process go before those that decode; returns how many decode. */
export function yieldDecoders(): number {
  return readdirSync('/proc/self/task').filter(yields).length
}

function yields(thread: string): boolean {
  try {
    if (!readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').startsWith(decoderPrefix)) return false
    setPriority(Number(thread), priority)
    return true
  } catch {
    // It has ended meanwhile.
    return false
  }
}
