import { z } from 'zod'
import * as orphans from '#sql/jobs/orphans.ts'
import { poolSchema, queues } from '../pools.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { notifyDead } from '../queue/notify-dead.ts'
import { task } from '../queue/task.ts'
import { createNotice } from './rules/dead-notices.ts'

const batchSize = 500

/**
 * Notifies tasks of jobs that failed without their worker. Without this task, the runs of these jobs would stay open.
 */
export const rescue = task({
  name: 'jobs/rescue',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, signal }) {
    const core = { pool: 'core', schema: poolSchema('core') }
    for (const queue of queues) {
      signal.throwIfAborted()
      await db.transaction(async (tx) => {
        const dead = await orphans.lockDead(tx, queue, core, batchSize)
        await enqueueMany(
          tx,
          notifyDead,
          dead.map((job) => createNotice(queue, job)),
        )
      })
    }
  },
})
