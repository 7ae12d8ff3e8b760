import { getIdTime } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { heldPrefix, quarantinePrefix } from './keys.ts'

/**
 * Maximum duration of a request, scan or move in milliseconds. If a copy is older and the object does not use it, it
 * will never be used.
 */
export const maxCopyMs = 45 * 60_000

/** Deletes copies of an object’s bytes that were never used, for example after a crash. */
export async function deleteUnusedCopies(
  { db, storage, signal }: { db: DatabasePool; storage: Storage; signal: AbortSignal },
  objectId: string,
): Promise<void> {
  const listed = [heldPrefix, quarantinePrefix].map((prefix) => storage.keys(prefix(objectId), signal))
  const old = (await Promise.all(listed)).flat().filter(isOld)
  // Read after the listing. By then, each old copy either belongs to the object or will never be used.
  const object = await objects.findAny(db, objectId)
  if (object === null) return
  for (const key of old) if (key !== object.held_key) await storage.remove(key, signal)
}

/** The last part of a copy's key is an ID that contains its time. */
const isOld = (key: string) => getIdTime(key.split('/').at(-1) ?? '') < Date.now() - maxCopyMs
