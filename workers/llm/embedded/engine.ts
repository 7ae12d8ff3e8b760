import type { LanguageEngine } from '#tasks/ai/language-engine.ts'
import { createThreads } from './threads.ts'

/** Opens the embedded engine: it takes words for what they are, and says only what stands in its documents. */
export function createEmbeddedEngine(): LanguageEngine {
  const threads = createThreads()
  return {
    async chat(request, signal, onDelta) {
      const reply = await threads.run('chat', request, signal)
      if (reply.content !== '') onDelta?.(reply.content)
      return reply
    },
    answer: (request, signal) => threads.run('answer', request, signal),
    summarize: (request, signal) => threads.run('summarize', request, signal),
    classify: (request, signal) => threads.run('classify', request, signal),
    moderate: (input, signal) => threads.run('moderate', input, signal),
    close: () => threads.close(),
  }
}
