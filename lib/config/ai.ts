import { concurrency } from './values.ts'

/** What the ai area and the pool of language work read. */
export const ai = {
  LLM_CONCURRENCY: concurrency.default(8).describe('requests for language work at once in one worker'),
}
