import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { runCharged } from './rules/charged.ts'
import { timeoutMs } from './rules/request.ts'

export const classify = task({
  name: 'ai/classify',
  pool: 'llm',
  payload: z.object({
    orgId: Id,
    keyId: Id.optional(),
    request: z.object({
      input: z.array(z.string()),
      labels: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          examples: z.array(z.string()).optional(),
        }),
      ),
      multiLabel: z.boolean(),
      threshold: z.number().optional(),
      margin: z.number().optional(),
    }),
  }),
  attempts: 2,
  timeout: timeoutMs,
  tracked: true,
  run: ({ orgId, keyId, request }, tools) =>
    runCharged('classify', orgId, tools, (llm, signal) => llm.classify(request, signal), request, {
      keyId,
      subject: tools.runId,
    }),
})
