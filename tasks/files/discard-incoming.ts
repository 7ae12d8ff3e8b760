import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../enqueue.ts'
import { task } from '../task.ts'

/** Removes what a client has put to an upload URL after its upload was completed; the URL has stopped working by then. */
export const discardIncoming = task({
  name: 'files/discard-incoming',
  pool: 'core',
  payload: z.object({ objectId: Id }),
  attempts: 12,
  async run({ objectId }, { db, storage, signal }) {
    const object = await objects.findAny(db, objectId)
    if (object && object.place !== 'incoming') await storage.remove(object.incoming_key, signal)
  },
})

/** A PUT that began just before its URL ended is given this long. */
const lateMs = 60 * 60_000

/** Enqueues the removal for when the upload URL has stopped working. */
export async function enqueueDiscardIncoming(tx: Db, object: objects.FileObject): Promise<void> {
  const at = new Date(object.upload_expires_at.getTime() + lateMs)
  await enqueue(tx, discardIncoming, { objectId: object.id }, { orgId: object.org_id, at })
}
