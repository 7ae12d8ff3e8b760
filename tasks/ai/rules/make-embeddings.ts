import { defaultModel } from '#lib/config/ai-upstreams.ts'
import * as embeddings from '#sql/ai/embeddings.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import { type EngineResult, type LanguageEngine, LanguageEngineError } from '../engine.ts'
import { type ChargeOptions, type Outcome, runCharged } from './charged.ts'
import { type EmbeddingInput, encodeVector, hashInput } from './digest.ts'
import { embeddedModel } from './embedded-model.ts'
import type { EmbeddingRequest } from './gateway.ts'
import { createMeaningEmbedding } from './meaning-embedding.ts'

/**
 * Creates and caches vectors on a worker of the pool `llm`. Caches each batch immediately, so that a new attempt does
 * not pay for it again.
 */
export async function createEmbeddings(
  orgId: string,
  request: EmbeddingRequest,
  tools: Attempt & Tools['llm'],
  options: ChargeOptions = {},
): Promise<Outcome<EngineResult>> {
  // No text is generated, so no budget is reserved.
  const work = (llm: LanguageEngine, signal: AbortSignal) => make(orgId, request, tools, llm, signal)
  return await runCharged('embedding', orgId, tools, work, { ...request, maxTokens: 0 }, options)
}

async function make(
  orgId: string,
  request: EmbeddingRequest,
  { db }: Attempt,
  llm: LanguageEngine,
  signal: AbortSignal,
): Promise<EngineResult> {
  const { gateway, meaning } = llm
  const known = gateway?.embeddingModel(request.model)
  const isEmbedded = known === undefined && [defaultModel, embeddedModel.name].includes(request.model)
  const embed = isEmbedded && meaning ? createMeaningEmbedding(meaning) : gateway?.embed
  if (!embed) throw new LanguageEngineError('provider_not_configured', 'No model is connected.')
  const dimensions = isEmbedded ? 0 : (request.dimensions ?? 0)
  const digests = request.input.map(hashInput)
  const real = isEmbedded ? embeddedModel.name : known
  const kept = real ? await embeddings.find(db, { orgId, model: real, dimensions }, digests) : new Map()
  const missing = [
    ...new Map(request.input.map((one, i): [string, EmbeddingInput] => [digests[i] as string, one])),
  ].filter(([digest]) => !kept.has(digest))
  const input = missing.map(([, one]) => one)
  return await embed({ ...request, input }, signal, async (vectors, from, model) => {
    const made = new Map(vectors.map((vector, i) => [missing[from + i]?.[0] ?? '', encodeVector(vector)]))
    await embeddings.add(db, { orgId, model, dimensions }, made)
  })
}
