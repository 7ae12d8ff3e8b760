import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as isolation from '#sql/files/quarantine.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { enqueueCopyCleanup } from './discard-incoming.ts'
import { quarantineKey } from './rules/keys.ts'

/**
 * Moves an infected object’s bytes from `key` to a key for which no URL is ever signed. If the object has other bytes
 * or none, deletes `key`. Earlier signed URLs then stop working.
 */
export const quarantine = task({
  name: 'files/quarantine',
  pool: 'core',
  payload: z.object({ objectId: Id, key: z.string() }),
  attempts: 12,
  timeout: 30 * 60_000,
  async run({ objectId, key }, { db, storage, signal }) {
    const object = await objects.findAny(db, objectId)
    if (object && isToMove(object, key)) await move({ db, storage, signal }, object, key)
    const after = await objects.findAny(db, objectId)
    if (after && after.held_key !== key) await storage.remove(key, signal)
  },
})

const isToMove = (object: objects.FileObject, key: string) =>
  object.scan_status === 'infected' && object.place === 'held' && object.held_key === key

async function move(
  { db, storage, signal }: { db: DatabasePool; storage: Storage; signal: AbortSignal },
  object: objects.FileObject,
  from: string,
): Promise<void> {
  const there = await storage.head(from)
  await enqueueCopyCleanup(db, object)
  const to = quarantineKey(object.id, newId())
  if (
    !there ||
    !(await storage.copy(from, to, {
      etag: there.etag,
      bytes: there.bytes,
      as: { contentType: object.content_type },
      signal,
    }))
  )
    return
  if (!(await isolation.moveToQuarantine(db, object.id, from, to))) await storage.remove(to, signal)
}

export async function enqueueQuarantine(tx: Db, object: { id: string; org_id: string }, key: string): Promise<void> {
  await enqueue(tx, quarantine, { objectId: object.id, key }, { orgId: object.org_id })
}
