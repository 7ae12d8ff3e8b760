import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { createEmbeddings } from './rules/make-embeddings.ts'
import { timeoutMs } from './rules/request.ts'

/** Creates vectors and caches them. The request reads them from the cache. */
export const embed = task({
  name: 'ai/embed',
  pool: 'llm',
  payload: z.object({
    orgId: Id,
    keyId: Id.optional(),
    model: z.string(),
    input: z.array(z.union([z.string(), z.array(z.number())])),
    dimensions: z.number().optional(),
  }),
  attempts: 2,
  timeout: timeoutMs,
  tracked: true,
  run: ({ orgId, keyId, ...request }, tools) =>
    createEmbeddings(orgId, request, tools, { keyId, subject: tools.runId }),
})
