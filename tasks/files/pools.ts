import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { Scratch } from '../video/pools.ts'
import type { Scanner } from './engine.ts'
import type { ImageEngine, ImageSources } from './rules/images/engine.ts'

interface ScanTools {
  scanner: Scanner
  scratch: Pick<Scratch, 'attempt'>
  storage: Storage
}

export const scan = pool<ScanTools>()('scan', { fetchAhead: 0 })

/** Pool for variants of images. Page visitors wait for them, so they are separate from videos. */
export const images = pool<{ images: ImageEngine; sources: ImageSources; storage: Storage }>()('images', {
  fetchAhead: 0,
})
