import { z } from 'zod'
import { Id } from '#lib/ids.ts'

export const scheduledTask = {
  name: 'email/send-scheduled',
  pool: 'core',
  payload: z.object({ orgId: Id }),
  attempts: 8,
  timeout: 10 * 60_000,
  tracked: false,
} as const
