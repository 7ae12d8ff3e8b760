import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as looseBytes from '#sql/wiki/loose-bytes.ts'
import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { snapshotKey } from './rules/keys.ts'

const hourMs = 60 * 60_000
/**
 * Time in milliseconds for which released bytes are kept. Longer than a capture needs from its first check to its end.
 */
const looseMs = hourMs
const atOnce = 100

/**
 * Deletes the bytes of deleted snapshots, and of snapshots that no claim has cited for the retention time. A plain
 * delete is not possible, because the bytes are in storage and a claim may cite them at the same time.
 */
export const prune = task({
  name: 'wiki/prune',
  pool: 'web',
  payload: z.object({}),
  cron: '53 * * * *',
  timeout: 10 * 60_000,
  async run(_, { db, storage, signal }) {
    const now = Date.now()
    const before = new Date(now - config.WIKI_SNAPSHOT_DAYS * 24 * hourMs)
    await inBatches(signal, (limit) => looseBytes.releaseUncited(db, before, limit), atOnce)
    await inBatches(
      signal,
      async (limit) => {
        const found = await looseBytes.list(db, new Date(now - looseMs), limit)
        for (const one of found) {
          signal.throwIfAborted()
          await db.transaction(async (tx) => {
            if (await looseBytes.claim(tx, one)) await storage.remove(snapshotKey(one.org_id, one.sha256), signal)
          })
        }
        return found.length
      },
      atOnce,
    )
  },
})
