import { z } from 'zod'
import { task } from '#tasks/queue/task.ts'

export const noOp = task({
  name: 'bench/no-op',
  pool: 'core',
  payload: z.object({}),
  async run() {},
})
