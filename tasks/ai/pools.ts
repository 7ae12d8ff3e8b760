import type { ActionClient } from '../bots/engine.ts'
import { pool } from '../queue/pool.ts'
import type { LanguageEngine } from './engine.ts'

interface LanguageTools {
  llm: LanguageEngine
  actions: ActionClient
}

export const llm = pool<LanguageTools>()('llm', { fetchAhead: 0 })
