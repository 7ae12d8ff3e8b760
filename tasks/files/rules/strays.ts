import { madeAt } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { heldPrefix, quarantinePrefix } from './keys.ts'

/** No request, scan or move lasts as long: a copy that is older, and not the object's by then, never becomes it. */
export const copyingMs = 45 * 60_000

/** Removes the copies of an object's bytes that were made and never came to be its bytes, as when a process died in between. */
export async function removeStrays(
  { db, storage, signal }: { db: DatabasePool; storage: Storage; signal: AbortSignal },
  objectId: string,
): Promise<void> {
  const listed = [heldPrefix, quarantinePrefix].map((prefix) => storage.keys(prefix(objectId), signal))
  const old = (await Promise.all(listed)).flat().filter(isOld)
  // Read after the listing, by when an old copy is the object's or never will be.
  const object = await objects.findAny(db, objectId)
  if (object === null) return
  for (const key of old) if (key !== object.held_key) await storage.remove(key, signal)
}

/** The last part of the key of a copy is an id that was made for it. */
const isOld = (key: string) => madeAt(key.split('/').at(-1) ?? '') < Date.now() - copyingMs
