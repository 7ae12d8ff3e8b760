import { pool } from '../queue/pool.ts'
import type { LanguageEngine } from './engine.ts'

interface LanguageTools {
  llm: LanguageEngine
}

/** Questions to language models. */
export const llm = pool<LanguageTools>()('llm', { fetchAhead: 0 })
