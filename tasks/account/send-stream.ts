import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as streams from '#sql/account/streams/streams.ts'
import { task } from '../queue/task.ts'
import { runStream } from './rules/streams/run-stream.ts'

const leaseMs = 60_000

/**
 * Sends the waiting records of a stream. A job only starts the work: positions are in the table, and only one job at a
 * time has the lease of a stream.
 */
export const sendStream = task({
  name: 'account/send-stream',
  pool: 'streams',
  payload: z.object({ streamId: Id, wakeId: Id }),
  attempts: 3,
  async run({ streamId, wakeId }, { db, engine, seal, signal }) {
    const target = await streams.lease(db, streamId, wakeId, leaseMs)
    if (!target) return
    const ending = await runStream({ streamId, wakeId }, target, { db, engine, seal, signal })
    const pauseMs = ending === 'more' ? 0 : ending === 'idle' ? target.batch_seconds * 1_000 : ending.pauseMs
    await streams.release(db, streamId, wakeId, pauseMs)
  },
})
