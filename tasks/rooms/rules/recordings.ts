import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as chunks from '#sql/rooms/chunks.ts'
import * as recordings from '#sql/rooms/recordings.ts'
import { roomChunkKey } from '../../video/rules/keys.ts'
import type { RoomRecordings } from '../engine.ts'
import { closeRecording } from './close-recording.ts'

/** Chunks are stored as objects. Each row is written after its object. */
export function createRoomRecordings(db: DatabasePool, storage: Storage): RoomRecordings {
  return {
    async open(room) {
      const { id } = await recordings.open(db, { id: newId(), room_id: room.id, org_id: room.orgId })
      const start = await chunks.findEnd(db, id)
      return {
        id,
        start,
        async keep({ number, epoch, body }, signal) {
          const key = roomChunkKey(id, number)
          await storage.put(key, body, { contentType: 'video/mp4', signal })
          await chunks.put(db, { recording_id: id, number, epoch, key, bytes: body.length })
          if (number === start.number) await recordings.setRecording(db, id)
        },
      }
    },
    async close(roomId, recordingId) {
      const id = recordingId ?? (await recordings.findOpen(db, roomId))?.id
      if (id) await db.transaction((tx) => closeRecording(tx, id))
    },
  }
}
