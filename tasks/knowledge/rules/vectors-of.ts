import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { type LanguageEngine, LanguageEngineError } from '../../ai/engine.ts'
import { type Failure, runCharged } from '../../ai/rules/charged.ts'
import type { ChargeMeans } from '../../ai/rules/seated.ts'
import { nameOfMeaning } from './meaning.ts'

/**
 * Returns the name of the model for stored vectors: the default embedding model of the operator, or the embedded
 * sentence model if no upstream has one. Returns undefined if neither exists.
 */
export const getEmbeddingModel = (llm: LanguageEngine): string | undefined =>
  getUpstreamModel(llm) ?? (llm.meaning && nameOfMeaning(llm.meaning))

/** Returns the default embedding model of the operator. Returns undefined if no upstream has one. */
export const getUpstreamModel = ({ gateway }: LanguageEngine): string | undefined =>
  gateway?.embeddingModel(defaultModel)

/** Returns the vectors of texts by the upstream in the same order, or the failure. Counts their cost. */
export async function createVectors(
  texts: readonly string[],
  orgId: string,
  means: ChargeMeans,
  keyId?: string,
): Promise<{ vectors: readonly Float32Array[] } | { failure: Failure }> {
  const vectors: Float32Array[] = []
  const work = async ({ gateway }: LanguageEngine, signal: AbortSignal) => {
    if (!gateway) throw new LanguageEngineError('provider_not_configured', 'No model is configured.')
    return await gateway.embed({ model: defaultModel, input: texts }, signal, async (made, from) => {
      for (const [i, vector] of made.entries()) vectors[from + i] = vector
    })
  }
  const outcome = await runCharged(
    'embedding',
    orgId,
    means,
    work,
    { input: texts, maxTokens: 0 },
    {
      keyId,
      canWait: false,
    },
  )
  return 'failure' in outcome ? outcome : { vectors }
}
