import { z } from 'zod'
import { concurrency, http, ms, text } from './values.ts'

/** What the ai area and the pool of language work read. */
export const ai = {
  LLM_CONCURRENCY: concurrency
    .default(8)
    .describe(
      'requests for language work at once in one worker; with an upstream, one organisation has half of them at most',
    ),
  AI_ENGINE: z
    .enum(['embedded', 'upstream'])
    .default('embedded')
    .describe('`embedded` knows words alone and needs nothing; `upstream` asks a model'),
  AI_BASE_URL: http
    .optional()
    .describe('server of the upstream model that speaks OpenAI’s API: https://host/v1; needed by `upstream`'),
  AI_API_KEY: z.string().default('').describe('key of that server, if it wants one'),
  AI_MODEL: text.optional().describe('name of the model there; needed by `upstream`'),
  AI_MODERATION_MODEL: text
    .optional()
    .describe('name of the model of its `/moderations`; a server without that path leaves moderation to `embedded`'),
  AI_EMBEDDING_MODEL: text
    .optional()
    .describe(
      'name of the model of its `/embeddings`, by which passages are found whose words are others; none: by words',
    ),
  AI_TIMEOUT_MS: ms
    .min(100)
    .max(80_000)
    .default(30_000)
    .describe('milliseconds that the server may take for an answer, and be silent within it'),
  AI_RETRIES: z.coerce.number().int().min(0).max(5).default(1).describe('further tries of a request to it that failed'),
}
