import { type LanguageEngine, LanguageEngineError } from '../engine.ts'

async function refuse(): Promise<never> {
  throw new LanguageEngineError('provider_not_configured', 'This worker has no model.')
}

/** Engine of workers that have no model. Their work is charged like other AI work. */
export const withoutModel: LanguageEngine = {
  chat: refuse,
  answer: refuse,
  summarize: refuse,
  classify: refuse,
  moderate: refuse,
  rerank: refuse,
  async close() {},
}
