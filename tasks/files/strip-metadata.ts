import { z } from 'zod'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as metadata from '#sql/files/metadata.ts'
import type { FileObject } from '#sql/files/objects.ts'
import { task } from '../queue/task.ts'

/** Number of objects read from the database at a time, and of objects processed at the same time. */
const [batch, atOnce] = [200, 8]

/**
 * Removes uploader metadata from objects that an earlier release copied with this metadata. Does nothing when all
 * objects are processed. If an object fails, the next run retries it, and other objects are still processed.
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
        stripObject({ db, storage, signal }, object).catch((error) => void failures.push(error))
      await forEachConcurrently(objects, atOnce, seeTo, signal)
      const last = objects.at(-1)
      if (last === undefined || failures.length - before === objects.length) break
      after = last.id
    }
    if (failures.length > 0) throw failures[0]
  },
})

export async function stripObject(
  { db, storage, signal }: { db: Db; storage: Storage; signal?: AbortSignal },
  { id, held_key: key, content_type: contentType }: FileObject,
): Promise<void> {
  if (key === null) return
  const there = await storage.head(key)
  // S3 removes metadata by copying an object to itself. This is one step, and the key in the verdict stays the same.
  const copied = there?.hasMetadata && (await storage.copy(key, key, { etag: there.etag, as: { contentType }, signal }))
  // The copy has restored an object that was moved or deleted in the meantime, and with it its signed URLs.
  if (!(await metadata.markStripped(db, id, key)) && copied) await storage.remove(key, signal)
}
