import type { Storage } from '#lib/storage/storage.ts'
import { pool } from '../queue/pool.ts'
import type { MediaEngine } from './engine.ts'
import type { Speech } from './rules/captions/speech.ts'

/** What the pools that work on pictures and sound lend. */
export interface MediaTools {
  media: MediaEngine
  scratch: Scratch
  storage: Storage
}

/** Local disk of a worker: copies of objects, each fetched once a host, and folders that end with their attempt. */
export interface Scratch {
  /** Size of its disk in bytes, of which others may take a part. */
  capacity: number
  /** The local copy of an asset's object, fetched if it is not there, and if the disk has room for it. */
  fetch(assetId: string, key: string, signal: AbortSignal): Promise<string>
  /** Makes a local file the copy of an object; it is moved. */
  keep(assetId: string, key: string, path: string): Promise<string>
  /** The folder in which an asset's copies lie, under the last part of their keys. */
  folderOf(assetId: string): string
  /**
   * An empty folder that is removed when it is disposed of, or by the next worker when this one dies. Throws `EngineTrouble` when the
   * disk has no room for the `bytes` that are expected in it: the job then waits, or runs elsewhere, at no cost of an attempt.
   */
  attempt(bytes?: number): Promise<AsyncDisposable & { path: string }>
  /** Removes an asset's copies. */
  forget(assetId: string): Promise<void>
}

/** What makes an upload playable: it waits behind no ladder, whose chunks hold a slot of `media` for many seconds. */
export const mediaIntake = pool<MediaTools>()('media-intake', { fetchAhead: 0 })

/** Ladders, captions, thumbnails. */
export const media = pool<MediaTools & { speech: Speech }>()('media', { fetchAhead: 0 })
