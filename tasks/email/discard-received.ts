import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { receivedPrefix } from './rules/received/keys.ts'

/** Removes the stored bytes of an email whose row was deleted. */
export const discardReceived = task({
  name: 'email/discard-received',
  pool: 'core',
  payload: z.object({ id: Id }),
  attempts: 12,
  async run({ id }, { storage, signal }) {
    await storage.deleteAll(receivedPrefix(id), signal)
  },
})
