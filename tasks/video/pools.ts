import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { MediaEngine } from './engine.ts'
import type { Speech } from './rules/captions/speech.ts'

export interface MediaTools {
  media: MediaEngine
  scratch: Scratch
  storage: Storage
}

/**
 * Local disk of a worker. It has copies of objects, each downloaded once per host, and folders that are deleted after
 * their attempt.
 */
export interface Scratch {
  /** Size of the disk in bytes. Other programs may use part of it. */
  capacity: number
  /** Returns the local copy of an asset's object. Downloads it if needed and if the disk has room. */
  fetch(assetId: string, key: string, signal: AbortSignal): Promise<string>
  keep(assetId: string, key: string, path: string): Promise<string>
  /** Returns the folder of an asset’s copies. Copies are named by the last part of their keys. */
  folderOf(assetId: string): string
  /**
   * Creates an empty folder. It is deleted on disposal, or by the next worker after a crash. Throws
   * `TransientEngineError` if the disk has no room for `bytes`. The job then waits or runs on another host, and no
   * attempt is counted.
   */
  attempt(bytes?: number): Promise<AsyncDisposable & { path: string }>
  forget(assetId: string): Promise<void>
}

/** Pool for the first steps of an upload. They do not wait for chunks, which hold slots of `media` for many seconds. */
export const mediaIntake = pool<MediaTools>()('media-intake', { fetchAhead: 0 })

export const media = pool<MediaTools & { speech: Speech }>()('media', { fetchAhead: 0 })
