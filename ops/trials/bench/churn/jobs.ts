import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'
import { poolSchema } from '#tasks/pools.ts'
import { enqueueMany } from '#tasks/queue/enqueue.ts'
import { startChild } from '../child.ts'
import { createJobClaim } from '../depth/jobs.ts'
import { noOp } from '../no-op.ts'
import type { DrainSettings } from '../queue/drain.ts'
import { inBatches, type Subject } from './subject.ts'

/** Waiting jobs at which enqueueing pauses, as a queue with enough workers is short. */
const most = 10_000
const batch = 500

/** Jobs that one worker process runs while others are enqueued. */
export async function createJobs(db: DatabasePool, url: string, ends: AsyncDisposableStack): Promise<Subject> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  ends.defer(() => client.end())
  const claim = await createJobClaim(client, url, poolSchema(noOp.pool))
  const enqueue = (count: number) => enqueueMany(db, noOp, Array(count).fill({}))
  const isFull = () =>
    db.oneFirst(sql.type(z.object({ full: z.boolean() }))`
      select count(*) >= ${most} as full from (select from jobs_core._private_jobs limit ${most}) as j`)
  return {
    what: 'jobs_core',
    table: 'jobs_core._private_jobs',
    stays: false,
    async churn(rows) {
      const settings: DrainSettings = { url, side: 'product', jobs: rows, concurrency: 24, fetchAhead: 500, idle: 0 }
      const worker = startChild('queue/drain.ts', settings)
      await inBatches(rows, batch, 2, async (count) => {
        while (await isFull()) await pause(20)
        await enqueue(count)
      })
      await worker.next()
      await worker.ended
    },
    prepare: () => enqueue(1_000),
    probe: claim.run,
  }
}
