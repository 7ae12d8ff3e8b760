import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { runCharged } from './rules/charged.ts'
import { timeoutMs } from './rules/request.ts'

export const summarize = task({
  name: 'ai/summarize',
  pool: 'llm',
  payload: z.object({
    orgId: Id,
    keyId: Id.optional(),
    request: z.object({
      text: z.string(),
      sentences: z.number(),
      format: z.enum(['paragraph', 'bullets']),
      language: z.string().optional(),
      focus: z.string().optional(),
    }),
  }),
  attempts: 2,
  timeout: timeoutMs,
  tracked: true,
  run: ({ orgId, keyId, request }, tools) =>
    runCharged('summarize', orgId, tools, (llm, signal) => llm.summarize(request, signal), request, {
      keyId,
      subject: tools.runId,
    }),
})
