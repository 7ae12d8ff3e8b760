import { z } from 'zod'
import * as calls from '#sql/voice/calls.ts'
import { task } from '../queue/task.ts'
import { emitCalls } from './rules/emit-call.ts'

/** Seconds for which a call may wait for a worker: nobody is to be rung up later than they expect. */
export const maxWaitSeconds = 60

/** Fails calls that no worker began in time. */
export const expire = task({
  name: 'voice/expire',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await db.transaction(async (tx) => emitCalls(tx, await calls.expire(tx, maxWaitSeconds)))
  },
})
