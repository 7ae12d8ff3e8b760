import type { ActionClient } from '../bots/engine.ts'
import type { Embedder } from '../knowledge/engine.ts'
import { pool } from '../queue/pool.ts'
import type { LanguageEngine } from './engine.ts'

interface LanguageTools {
  llm: LanguageEngine
  /** Where an upstream has a model for it. */
  embedder?: Embedder | undefined
  /** What calls actions of bots. */
  actions: ActionClient
}

/** Questions to language models. */
export const llm = pool<LanguageTools>()('llm', { fetchAhead: 0 })
