import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { copyingMs, removeStrays } from './rules/strays.ts'

/**
 * Removes what an object has in storage besides its bytes: what a client has put to an upload URL after its upload was
 * completed, which has stopped working by then, and copies that a process began and did not live to finish.
 */
export const discardIncoming = task({
  name: 'files/discard-incoming',
  pool: 'core',
  payload: z.object({ objectId: Id }),
  attempts: 12,
  async run({ objectId }, { db, storage, signal }) {
    const object = await objects.findAny(db, objectId)
    if (object && object.place !== 'incoming') await storage.remove(object.incoming_key, signal)
    await removeStrays({ db, storage, signal }, objectId)
  },
})

/** A PUT that began just before its URL ended is given this long. */
const lateMs = 60 * 60_000

/** Enqueues the removal for when the upload URL has stopped working. */
export async function enqueueDiscardIncoming(tx: Db, object: objects.FileObject): Promise<void> {
  const at = new Date(Math.max(object.upload_expires_at.getTime(), Date.now()) + lateMs)
  await enqueue(tx, discardIncoming, { objectId: object.id }, { orgId: object.org_id, at })
}

/** Enqueues it before a copy is begun, for when that has become the object's bytes or never will. */
export async function announceCopy(db: Db, object: { id: string; org_id: string }): Promise<void> {
  const at = new Date(Date.now() + copyingMs + lateMs)
  await enqueue(db, discardIncoming, { objectId: object.id }, { orgId: object.org_id, at })
}
