import { type Config, config } from '#lib/config.ts'
import { type LanguageEngine, LanguageEngineError } from '#tasks/ai/engine.ts'
import type { Embedder } from '#tasks/knowledge/engine.ts'
import { createEmbeddedEngine } from './embedded/engine.ts'
import { createServer, type Server } from './upstream/connection.ts'
import { createUpstreamEmbedder } from './upstream/embedder.ts'
import { createUpstreamEngine } from './upstream/engine.ts'
import { upstreamsOf } from './upstream/settings.ts'

/** Opens the language engine that the configuration names. */
export function createLanguageEngine(settings: Config = config): LanguageEngine {
  return createEngineOf(settings, upstreamsOf(settings).map(createServer))
}

/** Opens it upon servers that are opened already. */
export function createEngineOf(settings: Config, servers: readonly Server[]): LanguageEngine {
  if (settings.AI_ENGINE === 'embedded') return createEmbeddedEngine()
  const [first, ...further] = servers
  if (!first) return unconfigured
  return createUpstreamEngine([first, ...further], Math.ceil(settings.LLM_CONCURRENCY / 2))
}

/** Opens what places texts by their meaning, where the configuration names an upstream's model for it. */
export function createEmbedder(settings: Config = config): Embedder | undefined {
  const { AI_ENGINE: engine, AI_BASE_URL: baseUrl, AI_EMBEDDING_MODEL: model } = settings
  if (engine === 'embedded' || baseUrl === undefined || model === undefined) return undefined
  return createUpstreamEmbedder({
    baseUrl,
    model,
    apiKey: settings.AI_API_KEY,
    timeoutMs: settings.AI_TIMEOUT_MS,
    retries: settings.AI_RETRIES,
  })
}

async function refuse(): Promise<never> {
  throw new LanguageEngineError('provider_not_configured', 'AI_ENGINE=upstream needs AI_BASE_URL and AI_MODEL.')
}

/** What answers where `upstream` is wanted and nobody has said which. */
const unconfigured: LanguageEngine = {
  chat: refuse,
  answer: refuse,
  summarize: refuse,
  classify: refuse,
  moderate: refuse,
  async close() {},
}
