import { z } from 'zod'
import * as closures from '#sql/account/closures.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { mailClosure } from './mail-closure.ts'

/** Reminds the owners of closed organisations before the data is deleted. */
export const remindClosures = task({
  name: 'account/remind-closures',
  pool: 'core',
  payload: z.object({}),
  cron: '41 * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => {
      const due = await closures.markReminded(tx)
      const payloads = due.map((closureId) => ({ closureId, occasion: 'reminder' as const }))
      await enqueueMany(tx, mailClosure, payloads)
    })
  },
})
