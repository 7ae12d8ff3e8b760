import { setTimeout as pause } from 'node:timers/promises'
import { log } from '../log.ts'
import type { Storage } from './storage.ts'

const later = 30_000

const words = {
  compared: 'the object store ignores the condition of a copy; each copy is compared with its source',
  unknowable: 'the object store ignores the condition of a copy and copies cannot be checked; files are rejected',
}

export async function logCopyConditionSupport(storage: Storage): Promise<void> {
  for (;;) {
    const found = await storage.conditions().catch(() => undefined)
    if (found !== undefined && found !== 'kept') {
      log[found === 'compared' ? 'warn' : 'error']({ bucket: storage.bucket }, words[found])
    }
    if (found !== undefined) return
    await pause(later, undefined, { ref: false })
  }
}
