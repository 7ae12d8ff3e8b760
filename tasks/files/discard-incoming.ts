import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { deleteUnusedCopies, maxCopyMs } from './rules/strays.ts'

/**
 * Deletes unused stored objects for an object’s keys: bytes sent to the upload URL after completion, and copies that a
 * process started but did not finish. Runs after the URL has expired.
 */
export const discardIncoming = task({
  name: 'files/discard-incoming',
  pool: 'core',
  payload: z.object({ objectId: Id }),
  attempts: 12,
  async run({ objectId }, { db, storage, signal }) {
    const object = await objects.findAny(db, objectId)
    if (object && object.place !== 'incoming') await storage.remove(object.incoming_key, signal)
    await deleteUnusedCopies({ db, storage, signal }, objectId)
  },
})

/** Time in milliseconds for a `PUT` that started just before its URL expired. */
const lateMs = 60 * 60_000

export async function enqueueDiscardIncoming(tx: Db, object: objects.FileObject): Promise<void> {
  const at = new Date(Math.max(object.upload_expires_at.getTime(), Date.now()) + lateMs)
  await enqueue(tx, discardIncoming, { objectId: object.id }, { orgId: object.org_id, at })
}

/** Adds the deletion job before a copy starts. The job runs when the copy is in use or will never be used. */
export async function enqueueCopyCleanup(db: Db, object: { id: string; org_id: string }): Promise<void> {
  const at = new Date(Date.now() + maxCopyMs + lateMs)
  await enqueue(db, discardIncoming, { objectId: object.id }, { orgId: object.org_id, at })
}
