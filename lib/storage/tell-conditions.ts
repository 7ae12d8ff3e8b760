import { setTimeout as pause } from 'node:timers/promises'
import { log } from '../log.ts'
import type { Storage } from './storage.ts'

/** Milliseconds until a store that was away is asked again. */
const later = 30_000

const words = {
  compared: 'the object store ignores the condition of a copy; each copy is compared with its source',
  unknowable:
    'the object store ignores the condition of a copy and does not tell what it copied; files are refused on it',
}

/** Says in the log, once the store can be asked, where it does not keep the condition of a copy. Keeps no process from ending. */
export async function tellConditions(storage: Storage): Promise<void> {
  for (;;) {
    const found = await storage.conditions().catch(() => undefined)
    if (found !== undefined && found !== 'kept') {
      log[found === 'compared' ? 'warn' : 'error']({ bucket: storage.bucket }, words[found])
    }
    if (found !== undefined) return
    await pause(later, undefined, { ref: false })
  }
}
