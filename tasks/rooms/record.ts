import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as chunks from '#sql/rooms/chunks.ts'
import * as recordings from '#sql/rooms/recordings.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { task } from '../queue/task.ts'
import { roomRecordingPrefix } from '../video/rules/keys.ts'
import { createRecordingAsset, formatMinute, storeAsSource } from '../video/rules/recorded.ts'

/** Creates an asset from the recording of a room, by copying like an upload. The asset has the ID of the recording. */
export const recordRoom = task({
  name: 'rooms/record',
  pool: 'rooms',
  payload: z.object({ recordingId: Id }),
  tracked: true,
  attempts: 8,
  timeout: 60 * 60_000,
  async run({ recordingId }, { db, media, scratch, storage, signal, own }) {
    const recording = await recordings.findAny(db, recordingId)
    if (!recording?.ended_at) return
    const found = await chunks.list(db, recordingId)
    if (!recording.asset_id && found.length > 0) {
      const size = await storeAsSource(found, recordingId, { media, scratch, storage }, signal)
      await own(async (tx) => {
        if ((await recordings.findAny(tx, recordingId))?.asset_id) return
        const room = await rooms.findAny(tx, recording.room_id)
        const title = `${room?.name ?? 'Room'}, ${formatMinute(recording.started_at)}`
        const asset = { id: recordingId, orgId: recording.org_id, title, filename: 'room.mp4', bytes: size }
        await createRecordingAsset(tx, asset)
        await recordings.setAsset(tx, recordingId, recordingId)
      })
    } else if (!recording.asset_id) await recordings.setFailed(db, recordingId, 'Nothing was recorded.')
    await storage.deleteAll(roomRecordingPrefix(recordingId), signal)
    await chunks.remove(db, recordingId)
  },
})
