import { z } from 'zod'
import * as pending from '#sql/work/pending.ts'
import * as turns from '#sql/work/turns.ts'
import { poolSchema } from '../pools.ts'
import { task } from '../queue/task.ts'
import { enqueueTurns } from './rules/admit-jobs.ts'

const atOnce = 1_000

/** Puts jobs in the queue again whose entry was lost, for example because an operator has restored a backup. */
export const requeueLost = task({
  name: 'work/requeue-lost',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      const lost = await pending.lockLost(tx, poolSchema('calls'), atOnce)
      await turns.markReady(tx, await enqueueTurns(tx, lost))
    })
  },
})
