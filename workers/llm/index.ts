import { config } from '#lib/config.ts'
import type { PoolDeclaration } from '../runtime/pool-declaration.ts'
import { createEmbedder, createLanguageEngine } from './engine.ts'

/** The pool of language work: answers, summaries, labels, moderation, conversations. */
export const llm: PoolDeclaration<'llm'> = {
  concurrency: config.LLM_CONCURRENCY,
  lacks: async () => undefined,
  tools: async ({ ends }) => {
    const llm = createLanguageEngine()
    ends.defer(() => llm.close())
    return { llm, embedder: createEmbedder() }
  },
}
