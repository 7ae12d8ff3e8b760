import { z } from 'zod'
import { Id } from '#lib/ids.ts'

/** Signature of the task `verify/send`, for rules that the task itself calls. */
export const sendTask = {
  name: 'verify/send',
  pool: 'core',
  payload: z.object({ id: Id, send: z.int().describe('Number of the code, from 1') }),
  attempts: 6,
  tracked: false,
} as const
