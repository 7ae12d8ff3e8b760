import * as embeddings from '#sql/ai/embeddings.ts'
import type { Tools } from '../../pools.ts'
import type { Attempt } from '../../queue/task.ts'
import { type EngineResult, type LanguageEngine, LanguageEngineError } from '../engine.ts'
import { type ChargeOptions, type Outcome, runCharged } from './charged.ts'
import { type EmbeddingInput, encodeVector, hashInput } from './digest.ts'
import type { EmbeddingRequest } from './gateway.ts'

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
  { gateway }: LanguageEngine,
  signal: AbortSignal,
): Promise<EngineResult> {
  if (!gateway) throw new LanguageEngineError('provider_not_configured', 'No model is connected.')
  const dimensions = request.dimensions ?? 0
  const digests = request.input.map(hashInput)
  const known = gateway.embeddingModel(request.model)
  const kept = known ? await embeddings.find(db, { orgId, model: known, dimensions }, digests) : new Map()
  const missing = [
    ...new Map(request.input.map((one, i): [string, EmbeddingInput] => [digests[i] as string, one])),
  ].filter(([digest]) => !kept.has(digest))
  const input = missing.map(([, one]) => one)
  return await gateway.embed({ ...request, input }, signal, async (vectors, from, model) => {
    const made = new Map(vectors.map((vector, i) => [missing[from + i]?.[0] ?? '', encodeVector(vector)]))
    await embeddings.add(db, { orgId, model, dimensions }, made)
  })
}
