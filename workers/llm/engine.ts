import { type LanguageEngine, LanguageEngineError } from '#tasks/ai/language-engine.ts'

/** Opens the language engine that the configuration names. */
export function createLanguageEngine(): LanguageEngine {
  return {
    async chat() {
      throw new LanguageEngineError('provider_not_configured', 'No language model is configured.')
    },
    async close() {},
  }
}
