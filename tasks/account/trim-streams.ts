import { z } from 'zod'
import { config } from '#lib/config.ts'
import * as queue from '#sql/account/streams/queue.ts'
import type { DatabasePool } from '#sql/db.ts'
import { task } from '../queue/task.ts'

const [page, batch] = [500, 5_000]

/**
 * Limits the records that wait for streams. Numbers the records of paused streams, and deletes the oldest records over the
 * limit of an organisation and those that no stream wants.
 */
export const trimStreams = task({
  name: 'account/trim-streams',
  pool: 'core',
  payload: z.object({}),
  cron: '*/5 * * * *',
  timeout: 240_000,
  async run(_, { db, signal }) {
    for (let after: queue.Counter | undefined, isLast = false; !isLast; ) {
      const counters = await queue.listCounters(db, after, page)
      for (const one of counters) await trim(db, one, signal)
      after = counters.at(-1)
      isLast = counters.length < page
    }
  },
})

async function trim(
  db: DatabasePool,
  { org_id, source }: { org_id: string; source: queue.QueuedSource },
  signal: AbortSignal,
): Promise<void> {
  for (let left = batch; left === batch; ) {
    signal.throwIfAborted()
    left = await db.transaction((tx) => queue.number(tx, org_id, source, batch))
  }
  for (let left = batch; left === batch; ) {
    signal.throwIfAborted()
    left = await queue.trim(db, { org_id, source, most: config.LOG_STREAM_RECORDS, limit: batch })
  }
}
