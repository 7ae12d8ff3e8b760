import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { runInSeat } from '../ai/rules/seated.ts'
import { task } from '../queue/task.ts'
import { embedQuestion } from './rules/embed-question.ts'

/** The vector of a question. `null` if there is none, so that only words are searched. */
export type SearchVector = { model: string; numbers: number[] } | null

/** Creates the vector of a question for a search in a request. */
export const embedSearch = task({
  name: 'knowledge/embed-search',
  pool: 'llm',
  payload: z.object({ orgId: Id, keyId: Id.optional(), question: z.string() }),
  attempts: 1,
  timeout: 10_000,
  tracked: true,
  run: ({ orgId, keyId, question }, tools) =>
    runInSeat(tools, orgId, async (means): Promise<SearchVector> => {
      const embedded = await embedQuestion(question, orgId, means, { keyId })
      return embedded ? { model: embedded.model, numbers: [...embedded.vector] } : null
    }),
})
