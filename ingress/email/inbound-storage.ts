import { z } from 'zod'
import { receivedStorage } from '#tasks/email/rules/received/storage.ts'
import { route } from '../http/route.ts'

export const read = route({
  method: 'GET',
  path: '/inbound-storage',
  summary: 'Read the storage of received email',
  description:
    'Received email can use only a share of your storage, so that space remains for your files. When the share is full, further email is rejected with `452`.',
  scope: 'email:manage',
  status: 200,
  reply: z.object({
    used_bytes: z.int().describe('Size of received email in bytes, including files'),
    limit_bytes: z.int().describe('Maximum size of received email in bytes'),
    is_full: z.boolean().describe('True if further email is rejected'),
  }),
  async handle({ org, db }) {
    const { used, limit, isFull } = await receivedStorage(db, org.id)
    return { used_bytes: used, limit_bytes: limit, is_full: isFull || used >= limit }
  },
})
