import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { runCharged } from './rules/charged.ts'
import { timeoutMs } from './rules/request.ts'

export const moderate = task({
  name: 'ai/moderate',
  pool: 'llm',
  payload: z.object({ orgId: Id, keyId: Id.optional(), input: z.array(z.string()) }),
  attempts: 2,
  timeout: timeoutMs,
  tracked: true,
  run: ({ orgId, keyId, input }, tools) =>
    runCharged(
      'moderate',
      orgId,
      tools,
      (llm, signal) => llm.moderate(input, signal),
      { input },
      {
        keyId,
        subject: tools.runId,
      },
    ),
})
