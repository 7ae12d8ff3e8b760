import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import type { FileObject } from '#sql/files/objects.ts'
import { enqueueCopyCleanup } from '../discard-incoming.ts'
import type { LocalCopy } from './fetch-hashed.ts'
import { heldKey } from './keys.ts'

/**
 * Returns the key from which clean bytes are served: the current key, or a copy outside the quarantine. The copy is
 * written from the examined local file, so it must be the same bytes.
 */
export async function getServedKey(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal },
  object: FileObject,
  { key, path }: LocalCopy,
): Promise<string> {
  if (object.place !== 'quarantine') return key
  await enqueueCopyCleanup(db, object)
  const free = heldKey(object.id, newId())
  await storage.upload(path, free, { contentType: object.content_type, signal })
  return free
}
