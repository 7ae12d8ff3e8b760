import type { LanguageEngine } from '#tasks/ai/language-engine.ts'
import { createEmbeddedEngine } from './embedded/engine.ts'

/** Opens the language engine that the configuration names. */
export function createLanguageEngine(): LanguageEngine {
  return createEmbeddedEngine()
}
