import { LRUCache } from 'lru-cache'
import type { Storage } from '#lib/storage/storage.ts'
import type { ImageSources } from '#tasks/files/rules/images/engine.ts'

/** Size of the memory for sources, and largest source in it, in bytes. */
const [keptBytes, maxKept] = [64 * 2 ** 20, 16 * 2 ** 20]

/** Reads the sources of variants. A page requests several sizes of an image, so recent sources stay in memory. */
export function createImageSources(storage: Storage): ImageSources {
  const kept = new LRUCache<string, Uint8Array>({
    maxSize: keptBytes,
    sizeCalculation: ({ length }) => length + 1,
    maxEntrySize: maxKept,
    ttl: 60_000,
  })
  return {
    async read(key, signal) {
      const bytes = kept.get(key) ?? (await storage.readWhole(key, signal))
      kept.set(key, bytes)
      return bytes
    },
  }
}
