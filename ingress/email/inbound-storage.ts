import { z } from 'zod'
import { receivedStorage } from '#tasks/email/rules/received-storage.ts'
import { route } from '../http/route.ts'

export const read = route({
  method: 'GET',
  path: '/inbound-storage',
  summary: 'Read the storage of received email',
  description:
    'Received email uses a share of your storage, so that room for your files is left. When the share is full, further email is rejected with 452.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    used_bytes: z.int().describe('Bytes of received email, including files'),
    limit_bytes: z.int().describe('Bytes that received email can use'),
    is_full: z.boolean().describe('True if further email is rejected'),
  }),
  async handle({ org, db }) {
    const { used, limit, isFull } = await receivedStorage(db, org.id)
    return { used_bytes: used, limit_bytes: limit, is_full: isFull || used >= limit }
  },
})
