import { z } from 'zod'
import { task } from '#tasks/queue/task.ts'

/** A task that does nothing, with room for as many bytes as the name of an organisation takes. */
export const padded = task({
  name: 'bench/padded',
  pool: 'core',
  payload: z.object({ pad: z.string().optional() }),
  async run() {},
})
