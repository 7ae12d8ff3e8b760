import { z } from 'zod'
import { expirePayloads as expire } from '#sql/hooks/messages.ts'
import { task } from '../queue/task.ts'

const batch = 1_000

/** Deletes payloads of messages whose retention has ended. */
export const expirePayloads = task({
  name: 'hooks/expire-payloads',
  pool: 'core',
  payload: z.object({}),
  cron: '*/10 * * * *',
  async run(_, { db, signal }) {
    for (;;) {
      signal.throwIfAborted()
      if ((await expire(db, batch)) < batch) return
    }
  },
})
