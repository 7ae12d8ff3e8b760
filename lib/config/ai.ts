import { z } from 'zod'
import { fallbacksText } from './ai-fallbacks.ts'
import { furtherUpstreamsText, models, speaks } from './ai-upstreams.ts'
import { concurrency, days, flag, http, list, ms, text } from './values.ts'

export const ai = {
  LLM_CONCURRENCY: concurrency
    .default(8)
    .describe(
      'Maximum number of concurrent AI requests per worker. One organisation can use up to half of them. Answers that can call bot actions can together use up to half of them.',
    ),
  AI_ENGINE: z
    .enum(['embedded', 'upstream'])
    .default('embedded')
    .describe(
      '`embedded` needs no server: it compares words, and English texts by their meaning (AI_MEANING). `upstream` uses a model.',
    ),
  AI_MEANING: flag
    .default(true)
    .describe(
      'Run the English sentence model `use-lite-en` inside workers. It provides embeddings without an upstream server. A worker that uses it needs about 250 MB more memory. Disable it on hosts with little memory, for the ingress and for the workers.',
    ),
  AI_BASE_URL: http
    .optional()
    .describe('Upstream server with an OpenAI-compatible API: https://host/v1. Required for `upstream`.'),
  AI_API_KEY: z.string().default('').describe('API key of the upstream server, if it requires one'),
  AI_MODEL: text.optional().describe('Model name on the upstream server. Required for `upstream`.'),
  AI_MODELS: models
    .default([])
    .describe(
      'Additional models of the upstream server that clients can request, separated by commas. `asked=name` gives a model a different name.',
    ),
  AI_EMBEDDING_MODELS: models
    .default([])
    .describe(
      'Embedding models of the upstream server, in the same form as AI_MODELS. The first model is the default. With embeddings, search also finds passages that use different words.',
    ),
  AI_RERANK_MODELS: models
    .default([])
    .describe(
      'Models of the upstream server that order documents (`/rerank`), in the same form as AI_MODELS. Without one, `embedded` compares words.',
    ),
  AI_SPEAKS: speaks
    .default(['chat'])
    .describe(
      'APIs of the upstream server, separated by commas: `chat`, `responses` (OpenAI), `messages` (Anthropic). Requests in other APIs are translated to `chat`.',
    ),
  AI_UPSTREAMS: furtherUpstreamsText
    .default('[]')
    .describe(
      'Additional upstream servers in the order in which they are tried, in JSON: `[{"name": "backup", "base_url": "https://host/v1", "models": ["qwen3:8b"], "embedding_models": [], "speaks": ["chat"]}]`',
    ),
  AI_UPSTREAM_CREDENTIALS: list
    .refine((all) => all.every((one) => one.indexOf('=') > 0), 'must be name=key pairs, separated by commas')
    .default([])
    .describe('API keys of the additional upstream servers: `name=key`, separated by commas'),
  AI_FALLBACKS: fallbacksText
    .default('{}')
    .describe(
      'Models that are used if a chat completion fails, by requested model, in JSON: `{"gpt-4o": ["qwen3:8b"]}`. The request and the organisation can set others.',
    ),
  AI_CACHE_MOST: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(2_000)
    .describe(
      'Maximum number of cached responses per organisation, up to 256 KiB each. The oldest ones are deleted first.',
    ),
  AI_EMBEDDINGS_DAYS: days.default(30).describe('Days that a cached embedding is kept after its last use'),
  AI_EMBEDDINGS_MOST: z.coerce
    .number()
    .int()
    .min(1_000)
    .max(10_000_000)
    .default(50_000)
    .describe('Maximum number of cached embeddings per organisation. The least recently used ones are deleted first.'),
  AI_VECTOR_STORE_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(1_000_000_000)
    .describe(
      'Maximum bytes of indexed text in the vector stores of an organisation. The index needs about six times as much in the database.',
    ),
  AI_MODERATION_MODEL: text
    .optional()
    .describe(
      'Model name for the server’s `/moderations` endpoint. If the server does not have this endpoint, `embedded` does the moderation.',
    ),
  AI_TIMEOUT_MS: ms
    .min(100)
    .max(80_000)
    .default(30_000)
    .describe('Timeout in milliseconds for the first byte of a response, and for pauses within the response'),
  AI_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(5)
    .default(1)
    .describe('Number of retries after a failed request to the server'),
}
