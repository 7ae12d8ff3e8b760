import { newId } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import type { FileObject } from '#sql/files/objects.ts'
import { enqueueCopyCleanup } from '../discard-incoming.ts'
import type { HashedObject } from './fetch-hashed.ts'
import { heldKey } from './keys.ts'

/**
 * Returns the key from which clean bytes are served: the current key, or a copy outside the quarantine. The copy is
 * written from the examined local file, if there is one, so it must be the same bytes.
 */
export async function getServedKey(
  { db, storage, signal }: { db: Db; storage: Storage; signal: AbortSignal },
  object: FileObject,
  { key, path }: HashedObject,
): Promise<string> {
  if (object.place !== 'quarantine') return key
  await enqueueCopyCleanup(db, object)
  const free = heldKey(object.id, newId())
  const as = { contentType: object.content_type }
  if (path !== null) await storage.upload(path, free, { ...as, signal })
  // Nobody can write to a key in quarantine, so these are the bytes that were read.
  else if (!(await storage.copy(key, free, { as, bytes: object.byte_size, signal })))
    throw new Error('The file left the quarantine during its scan.')
  return free
}
