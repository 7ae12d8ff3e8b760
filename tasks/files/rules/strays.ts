import { getIdTime } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { heldPrefix, quarantinePrefix } from './keys.ts'

/** No request, scan or move takes longer. An older copy that is not the object's never will be. */
export const maxCopyMs = 45 * 60_000

/** Deletes copies of an object's bytes that never came into use, for example after a crash. */
export async function deleteUnusedCopies(
  { db, storage, signal }: { db: DatabasePool; storage: Storage; signal: AbortSignal },
  objectId: string,
): Promise<void> {
  const listed = [heldPrefix, quarantinePrefix].map((prefix) => storage.keys(prefix(objectId), signal))
  const old = (await Promise.all(listed)).flat().filter(isOld)
  // Read after the listing, when each old copy is either the object's or never will be.
  const object = await objects.findAny(db, objectId)
  if (object === null) return
  for (const key of old) if (key !== object.held_key) await storage.remove(key, signal)
}

/** The last part of a copy's key is an ID that contains its time. */
const isOld = (key: string) => getIdTime(key.split('/').at(-1) ?? '') < Date.now() - maxCopyMs
