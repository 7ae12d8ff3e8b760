import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { runCharged } from './rules/charged.ts'
import { timeoutMs } from './rules/request.ts'

export const rerank = task({
  name: 'ai/rerank',
  pool: 'llm',
  payload: z.object({
    orgId: Id,
    request: z.object({
      model: z.string(),
      query: z.string(),
      documents: z.array(z.string()),
      topN: z.number(),
    }),
  }),
  attempts: 2,
  timeout: timeoutMs,
  tracked: true,
  // No text is generated, so no output is reserved.
  run: ({ orgId, request }, tools) =>
    runCharged('rerank', orgId, tools, (llm, signal) => llm.rerank(request, signal), { ...request, maxTokens: 0 }),
})
