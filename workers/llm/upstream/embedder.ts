import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { LanguageEngineError } from '#tasks/ai/engine.ts'
import type { Embedder } from '#tasks/knowledge/engine.ts'
import type { Server } from './connection.ts'
import { createEmbedding } from './embed.ts'
import { embeddingModelsOf, findOffers } from './offers.ts'

/** Opens what places texts by the operator's default model of vectors; undefined where no upstream has one. */
export function createEmbedder(servers: readonly Server[]): Embedder | undefined {
  const model = findOffers(servers, defaultModel, embeddingModelsOf)[0]?.model
  if (model === undefined) return undefined
  return {
    model,
    async embed(texts, orgId, signal, withinMs) {
      const vectors: Float32Array[] = []
      const either = withinMs === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
      try {
        await createEmbedding(servers, orgId)({ model: defaultModel, input: texts }, either, async (made, from) => {
          for (const [i, vector] of made.entries()) vectors[from + i] = vector
        })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof LanguageEngineError && error.code === 'input_too_long') return undefined
        throw error
      }
      return vectors
    },
  }
}
