import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { TaskSignature } from '../../queue/task.ts'

const payload = z.object({ jobId: Id, turn: z.int() })

/** Properties of the task `work/call` that are needed to add its jobs. */
export const callSignature: TaskSignature<typeof payload, 'calls'> = {
  name: 'work/call',
  pool: 'calls',
  payload,
  attempts: 5,
  tracked: false,
}
