import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { TaskSignature } from '../../queue/task.ts'

export const contactOfChannel = z.object({ channelId: Id, contact: z.string() })

/** The task as other areas see it: they add the job in the transaction of the received message. */
export const hearJob: TaskSignature<typeof contactOfChannel, 'core'> = {
  name: 'bots/hear',
  pool: 'core',
  payload: contactOfChannel,
  attempts: 8,
  tracked: false,
}
