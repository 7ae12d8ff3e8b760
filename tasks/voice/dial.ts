import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/voice/calls.ts'
import { task } from '../queue/task.ts'
import { emitCalls } from './rules/emit-call.ts'

/** Starts a call. A worker then holds the call without a job until the call ends. */
export const dial = task({
  name: 'voice/dial',
  pool: 'voice',
  payload: z.object({ callId: Id }),
  attempts: 3,
  timeout: 30_000,
  async run({ callId }, { calls, signal }) {
    await calls.dial(callId, signal)
  },
  async giveUp({ callId }, _, { db }) {
    await db.transaction(async (tx) => emitCalls(tx, await rows.failWaiting(tx, callId)))
  },
})
