import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as chunks from '#sql/live/chunks.ts'
import { chunkKey } from '../../video/rules/keys.ts'
import type { KeepChunk } from '../engine.ts'

/** Stores chunks of a broadcast as objects. Each row is written after its object. */
export const createChunkStore =
  (db: Db, storage: Storage, broadcastId: string): KeepChunk =>
  async ({ number, epoch, body, seconds }, signal) => {
    const key = chunkKey(broadcastId, number)
    await storage.put(key, body, { contentType: 'video/mp4', signal })
    const chunk = { broadcast_id: broadcastId, number, epoch, key, bytes: body.length, duration_seconds: seconds }
    await chunks.put(db, chunk)
  }
