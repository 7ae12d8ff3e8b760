import { z } from 'zod'
import * as replies from '#sql/ai/replies.ts'
import { route } from '../http/route.ts'

export const clear = route({
  method: 'DELETE',
  path: '/cache',
  beyondContract: true,
  summary: 'Delete all cached responses',
  description:
    'Deletes the cached chat completions, responses and messages of the organisation. Cached embeddings are kept.',
  scope: 'account:write',
  status: 200,
  reply: z.object({ deleted: z.int().describe('Number of responses') }),
  async handle({ org, db }) {
    return { deleted: await replies.clear(db, org.id) }
  },
})
