import { z } from 'zod'
import { task } from '#tasks/queue/task.ts'

/** A task that does nothing, so that only the queue is measured. */
export const noOp = task({
  name: 'bench/no-op',
  pool: 'core',
  payload: z.object({}),
  async run() {},
})
