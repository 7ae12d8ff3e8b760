import type { Db } from '#sql/db.ts'
import * as recordings from '#sql/rooms/recordings.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { recordRoom } from '../record.ts'

/** Ends the recording of a room once and enqueues the job for its asset. */
export async function closeRecording(tx: Db, id: string): Promise<void> {
  const recording = await recordings.setStored(tx, id)
  if (!recording) return
  const options = { subject: id, orgId: recording.org_id, key: `record:${id}` }
  await enqueue(tx, recordRoom, { recordingId: id }, options)
}
