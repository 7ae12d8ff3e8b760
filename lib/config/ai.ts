import { z } from 'zod'
import { furtherUpstreamsText, models } from './ai-upstreams.ts'
import { concurrency, days, http, list, ms, text } from './values.ts'

/** What the ai area and the pool of language work read. */
export const ai = {
  LLM_CONCURRENCY: concurrency
    .default(8)
    .describe(
      'requests for language work at once in one worker; one organisation has half of them at most, and answers that may call actions of bots have half of them together',
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
  AI_MODELS: models
    .default([])
    .describe(
      'further models of that server that clients may ask for, with commas between; `asked=name` gives one another name',
    ),
  AI_EMBEDDING_MODELS: models
    .default([])
    .describe(
      'models of that server that make embeddings, likewise; the first one is the default, by which passages are found whose words are others, too',
    ),
  AI_UPSTREAMS: furtherUpstreamsText
    .default('[]')
    .describe(
      'further servers in the order in which they are asked, in JSON: `[{"name": "backup", "base_url": "https://host/v1", "models": ["qwen3:8b"], "embedding_models": []}]`',
    ),
  AI_UPSTREAM_CREDENTIALS: list
    .refine((all) => all.every((one) => one.indexOf('=') > 0), 'must be name=key,…')
    .default([])
    .describe('keys of further servers that want one: `name=key` with commas between'),
  AI_EMBEDDINGS_DAYS: days.default(30).describe('days that a cached embedding is kept which nobody asks for'),
  AI_EMBEDDINGS_MOST: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(10_000_000)
    .default(50_000)
    .describe('cached embeddings of one organisation; those that were asked for longest ago go first'),
  AI_MODERATION_MODEL: text
    .optional()
    .describe('name of the model of its `/moderations`; a server without that path leaves moderation to `embedded`'),
  AI_TIMEOUT_MS: ms
    .min(100)
    .max(80_000)
    .default(30_000)
    .describe('milliseconds that the server may take for an answer, and be silent within it'),
  AI_RETRIES: z.coerce.number().int().min(0).max(5).default(1).describe('further tries of a request to it that failed'),
}
