import { z } from 'zod'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as metadata from '#sql/files/metadata.ts'
import type { FileObject } from '#sql/files/objects.ts'
import { task } from '../queue/task.ts'

/** Objects that are read from the database at once, and those that are seen to at once. */
const [batch, atOnce] = [200, 8]

/**
 * Strips the objects that were held when copies kept the metadata of what had arrived. There are none of them once all
 * have been seen to; one that fails is tried again by the next run, and keeps no other from its turn.
 */
export const stripMetadata = task({
  name: 'files/strip-metadata',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  attempts: 1,
  timeout: 9 * 60_000,
  async run(_, { db, storage, signal }) {
    const failures: unknown[] = []
    for (let after: string | undefined; ; ) {
      const objects = await metadata.listUnstripped(db, after, batch)
      const before = failures.length
      const seeTo = (object: FileObject, signal: AbortSignal) =>
        strip({ db, storage, signal }, object).catch((error) => void failures.push(error))
      await forEachConcurrently(objects, atOnce, seeTo, signal)
      const last = objects.at(-1)
      if (last === undefined || failures.length - before === objects.length) break
      after = last.id
    }
    if (failures.length > 0) throw failures[0]
  },
})

/** Leaves an object's bytes nothing of what their uploader's PUT said of them but the declared type. */
export async function strip(
  { db, storage, signal }: { db: Db; storage: Storage; signal?: AbortSignal },
  { id, held_key: key, content_type: contentType }: FileObject,
): Promise<void> {
  if (key === null) return
  const there = await storage.head(key)
  // A copy to itself is what S3 has for it: one step, and the key that the verdict names stays.
  const copied = there?.hasMetadata && (await storage.copy(key, key, { etag: there.etag, as: { contentType }, signal }))
  // What was moved or deleted meanwhile came back with the copy, and URLs that were signed for it.
  if (!(await metadata.noteStripped(db, id, key)) && copied) await storage.remove(key, signal)
}
