import { type Config, config } from '#lib/config.ts'
import { type LanguageEngine, LanguageEngineError } from '#tasks/ai/engine.ts'
import { createEmbeddedEngine } from './embedded/engine.ts'
import { createSeats, type Seats } from './seats.ts'
import { createServer, type Server } from './upstream/connection.ts'
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
  return createUpstreamEngine([first, ...further], shareOf(settings))
}

/** What of the pool's places one organisation may hold with work that waits for others' servers. */
const shareOf = (settings: Config): number => Math.ceil(settings.LLM_CONCURRENCY / 2)

/**
 * Places for answers that may wait for customers' own servers: of all organisations together they hold half of the pool, so that
 * servers which never answer leave the rest to everybody.
 */
export function actionSeats({ LLM_CONCURRENCY }: Pick<Config, 'LLM_CONCURRENCY'>): Seats {
  const most = Math.max(1, Math.floor(LLM_CONCURRENCY / 2))
  return createSeats(Math.ceil(most / 2), most)
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
