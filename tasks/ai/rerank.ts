import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import type { LanguageEngine } from './engine.ts'
import { runCharged } from './rules/charged.ts'
import { timeoutMs } from './rules/request.ts'

export const rerank = task({
  name: 'ai/rerank',
  pool: 'llm',
  payload: z.object({
    orgId: Id,
    keyId: Id.optional(),
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
  run({ orgId, keyId, request }, tools) {
    const work = (llm: LanguageEngine, signal: AbortSignal) => llm.rerank(request, signal)
    // No text is generated, so no output is reserved.
    const asked = { ...request, maxTokens: 0 }
    return runCharged('rerank', orgId, tools, work, asked, { keyId, subject: tools.runId })
  },
})
