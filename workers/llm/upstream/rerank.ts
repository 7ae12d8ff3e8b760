import { z } from 'zod'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import type { Gateway } from '#tasks/ai/rules/gateway.ts'
import type { RankedDocument, RerankRequest } from '#tasks/ai/rules/rerank-result.ts'
import { estimateUsage } from '../token-usage.ts'
import { connect, type Server } from './connection.ts'
import { malformedError } from './faults.ts'
import { tryInOrder } from './in-order.ts'
import { type Offer, requireOffers, rerankModelsOf } from './offers.ts'

/** Timeout in milliseconds per request, including retries. */
const withinMs = 80_000

const Tokens = z.int().min(0).max(100_000_000)

/** The answer of Cohere, Jina, vLLM and llama.cpp. */
const Ranking = z.object({
  results: z.array(
    z.object({
      index: z.int().min(0),
      relevance_score: z.number(),
    }),
  ),
  usage: z.object({ total_tokens: Tokens }).nullish().catch(undefined),
})

/** Creates the function that orders documents with the first server that has the model. It returns `null` for `default`
 * if no server has a model for this. */
export function createRerank(servers: readonly Server[], asker: string): Gateway['rerank'] {
  return async (request, signal) => {
    if (request.model === defaultModel && servers.every((server) => rerankModelsOf(server).length === 0)) return null
    const offers = requireOffers(servers, request.model, rerankModelsOf)
    return await tryInOrder(offers, (offer, hasOther) => ask(offer, hasOther, request, asker, signal))
  }
}

async function ask(
  { server, model }: Offer,
  hasOther: boolean,
  { query, documents, topN }: RerankRequest,
  asker: string,
  signal: AbortSignal,
) {
  const { passing: parameters, vectorsBreaker: breaker } = server
  const { client, send } = connect(server, asker, { hasOther, withinMs, parameters, breaker })
  const body = { model, query, documents, top_n: topN }
  const raw = await send(signal, (either) => client.post<unknown>('/rerank', { body, signal: either }))
  const { data } = Ranking.safeParse(raw)
  if (!data) throw malformedError()
  const seen = new Set(data.results.map(({ index }) => index))
  const isWhole = seen.size === data.results.length && seen.size >= topN && [...seen].every((i) => i < documents.length)
  if (!isWhole) throw malformedError()
  const results: RankedDocument[] = data.results
    .map(({ index, relevance_score: score }) => ({ index, score }))
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, topN)
  const estimated = estimateUsage([query.repeat(documents.length), ...documents], '')
  const prompt_tokens = data.usage?.total_tokens ?? estimated.prompt_tokens
  const usage = { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens }
  return { engine: 'upstream' as const, model, usage, results }
}
