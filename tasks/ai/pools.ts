import type { Embedder } from '../knowledge/engine.ts'
import { pool } from '../queue/pool.ts'
import type { LanguageEngine } from './engine.ts'

interface LanguageTools {
  llm: LanguageEngine
  /** Where an upstream has a model for it. */
  embedder?: Embedder | undefined
}

/** Questions to language models. */
export const llm = pool<LanguageTools>()('llm', { fetchAhead: 0 })
