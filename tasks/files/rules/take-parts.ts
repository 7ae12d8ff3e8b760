import { newId } from '#lib/ids.ts'
import { planParts, uploadMs } from '#lib/storage/part-plan.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import * as uploads from '#sql/files/uploads.ts'
import { heldKey } from './keys.ts'
import { hold, recordUpload, type UploadDetails } from './take-in.ts'

/** Maximum size of a file that is uploaded in parts, in bytes. */
export const maxFileBytes = 50 * 1024 ** 3

export interface RecordedUpload {
  object: objects.FileObject
  upload: uploads.Upload
}

/** Records an object and its upload in parts. Throws 400 `plan_limit_exceeded`. */
export async function recordPartsUpload(
  tx: Db,
  orgId: string,
  plan: Plan,
  facts: UploadDetails,
): Promise<RecordedUpload> {
  const object = await recordUpload(tx, orgId, plan, facts, { mostBytes: maxFileBytes, ms: uploadMs })
  const { partBytes, parts } = planParts(object.byte_size)
  // Storage joins the parts in the place from which the file is served. A client can send only parts, and none after
  // they are joined, so no copy is needed.
  const key = heldKey(object.id, newId())
  const row = { id: object.id, org_id: orgId, bytes: object.byte_size, part_bytes: partBytes, parts, key }
  return { object, upload: await uploads.insert(tx, row) }
}

/** Starts the scan of a file whose parts storage has joined. Repeated calls do nothing. */
export async function acceptJoined(
  { db, storage }: { db: DatabasePool; storage: Storage },
  object: objects.FileObject,
  key: string,
): Promise<void> {
  const held = await db.transaction(async (tx) => {
    const isFirst = await hold(tx, object, key)
    if (isFirst) await uploads.complete(tx, object.id)
    return isFirst
  })
  if (held) return
  // Another request was first, and the object uses the same key. Otherwise the object was deleted in the meantime.
  if (!(await objects.findAny(db, object.id))) await storage.remove(key)
}
