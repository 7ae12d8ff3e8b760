import { z } from 'zod'
import * as calls from '#sql/voice/calls.ts'
import { task } from '../queue/task.ts'
import { emitCalls } from './rules/emit-call.ts'

/** Maximum time in seconds for which a call waits for a worker. Later, people no longer expect the call. */
export const maxWaitSeconds = 60

export const expire = task({
  name: 'voice/expire',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => emitCalls(tx, await calls.expire(tx, maxWaitSeconds)))
  },
})
