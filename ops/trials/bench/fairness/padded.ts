import { z } from 'zod'
import { task } from '#tasks/queue/task.ts'

export const padded = task({
  name: 'bench/padded',
  pool: 'core',
  payload: z.object({ pad: z.string().optional() }),
  async run() {},
})
