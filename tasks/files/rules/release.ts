import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import type { FileObject } from '#sql/files/objects.ts'
import { announceCopy } from '../discard-incoming.ts'
import type { LocalCopy } from './fetch-hashed.ts'
import { heldKey } from './keys.ts'

/**
 * The key under which bytes that were found clean are served: where they lie, or a copy outside the quarantine. The copy is
 * put from the local file that was examined, so that it can be no other.
 */
export async function release(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal },
  object: FileObject,
  { key, path }: LocalCopy,
): Promise<string> {
  if (object.place !== 'quarantine') return key
  await announceCopy(db, object)
  const free = heldKey(object.id, newId())
  await storage.upload(path, free, { contentType: object.content_type, signal })
  return free
}
