import { z } from 'zod'
import { task } from '#tasks/queue/task.ts'

/** A task that does nothing. Its payload has room for the bytes of an organisation's ID. */
export const padded = task({
  name: 'bench/padded',
  pool: 'core',
  payload: z.object({ pad: z.string().optional() }),
  async run() {},
})
