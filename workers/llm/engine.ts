import { type Config, config } from '#lib/config.ts'
import { createFairSlots, type FairSlots } from '#lib/slots.ts'
import { type LanguageEngine, LanguageEngineError } from '#tasks/ai/engine.ts'
import { createEmbeddedEngine } from './embedded/engine.ts'
import { createServer, type Server } from './upstream/connection.ts'
import { createUpstreamEngine } from './upstream/engine.ts'
import { listUpstreams } from './upstream/settings.ts'

export function createLanguageEngine(settings: Config = config): LanguageEngine {
  return createEngineForServers(settings, listUpstreams(settings).map(createServer))
}

export function createEngineForServers(settings: Config, servers: readonly Server[]): LanguageEngine {
  const embedded = createEmbeddedEngine(settings.AI_MEANING)
  if (settings.AI_ENGINE === 'embedded') return embedded
  const [first, ...further] = servers
  if (!first) return { ...unconfigured, meaning: embedded.meaning, close: embedded.close }
  return createUpstreamEngine([first, ...further], getSeatShare(settings), embedded)
}

const getSeatShare = (settings: Config): number => Math.ceil(settings.LLM_CONCURRENCY / 2)

/**
 * Creates slots for answers that may wait for customers' servers. All organisations together can use half of the pool,
 * so servers that do not respond leave the rest free.
 */
export function createActionSeats({ LLM_CONCURRENCY }: Pick<Config, 'LLM_CONCURRENCY'>): FairSlots {
  const most = Math.max(1, Math.floor(LLM_CONCURRENCY / 2))
  return createFairSlots({ slots: most, slotsOfOne: Math.ceil(most / 2) })
}

async function refuse(): Promise<never> {
  throw new LanguageEngineError('provider_not_configured', 'AI_ENGINE=upstream needs AI_BASE_URL and AI_MODEL.')
}

const unconfigured: LanguageEngine = {
  chat: refuse,
  answer: refuse,
  summarize: refuse,
  classify: refuse,
  moderate: refuse,
  rerank: refuse,
  async close() {},
}
