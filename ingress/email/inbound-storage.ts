import { z } from 'zod'
import { receivedStorage } from '#tasks/email/rules/received-storage.ts'
import { route } from '../http/route.ts'

/** How much storage received mail uses. */
export const read = route({
  method: 'GET',
  path: '/inbound-storage',
  summary: 'Read the storage of received mail',
  description:
    'Received mail uses a share of your storage, so that it leaves room for your own files. When the share is full, further mail is refused with 452.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    used_bytes: z.int().describe('Received mail with its files'),
    limit_bytes: z.int().describe('The share of your storage that received mail may use'),
    is_full: z.boolean().describe('True if further mail is refused'),
  }),
  async handle({ org, db }) {
    const { used, limit, isFull } = await receivedStorage(db, org.id)
    return { used_bytes: used, limit_bytes: limit, is_full: isFull || used >= limit }
  },
})
