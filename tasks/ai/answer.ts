import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { runCharged } from './rules/charged.ts'
import { SourceDocuments, timeoutMs } from './rules/request.ts'

export const answer = task({
  name: 'ai/answer',
  pool: 'llm',
  payload: z.object({
    orgId: Id,
    keyId: Id.optional(),
    request: z.object({
      question: z.string(),
      documents: SourceDocuments,
      language: z.string().optional(),
      maxTokens: z.number(),
      temperature: z.number().optional(),
    }),
  }),
  attempts: 2,
  timeout: timeoutMs,
  tracked: true,
  run: ({ orgId, keyId, request }, tools) =>
    runCharged('answer', orgId, tools, (llm, signal) => llm.answer(request, signal), request, {
      keyId,
      subject: tools.runId,
    }),
})
