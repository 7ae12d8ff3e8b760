import { z } from 'zod'
import { LanguageEngineError, type TokenUsage } from '#tasks/ai/engine.ts'
import type { EmbeddingRequest, Gateway } from '#tasks/ai/rules/gateway.ts'
import { addUsage, estimateUsage } from '../token-usage.ts'
import { connect, type Server } from './connection.ts'
import { malformedError } from './faults.ts'
import { tryInOrder } from './in-order.ts'
import { embeddingModelsOf, type Offer, requireOffers } from './offers.ts'

/** Number of texts per request. 64 vectors of 4,096 numbers have 1.4 MB. */
const atOnce = 64

/** Maximum size of a response in bytes. Some servers write vectors as decimal numbers. */
const maxBytes = 16 * 1024 * 1024

/** Timeout in milliseconds per request, including retries. */
const withinMs = 80_000

const mostDimensions = 16_384

const Vectors = z.object({
  data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.union([z.string(), z.array(z.number())]) })),
  usage: z
    .object({ prompt_tokens: z.int().min(0).max(100_000_000) })
    .nullish()
    .catch(undefined),
})

/**
 * Creates the embedding function of an organisation. One model is used for all texts, because vectors of different
 * models cannot be compared.
 */
export function createEmbedding(servers: readonly Server[], asker: string): Gateway['embed'] {
  return async (request, signal, keep) => {
    const [first] = requireOffers(servers, request.model, embeddingModelsOf)
    const { model } = first
    const mates = servers.flatMap((server) =>
      embeddingModelsOf(server).some(({ real }) => real === model) ? [{ server, model }] : [],
    )
    let usage: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    for (let from = 0; from < request.input.length; from += atOnce) {
      const input = request.input.slice(from, from + atOnce)
      try {
        const made = await tryInOrder(mates, (offer, hasOther) =>
          ask(offer, hasOther, { ...request, input }, asker, signal),
        )
        usage = addUsage(usage, made.usage)
        await keep(made.vectors, from, model)
      } catch (error) {
        throw withCost(error, usage)
      }
    }
    return { engine: 'upstream', model, usage }
  }
}

function withCost(error: unknown, usage: TokenUsage): unknown {
  if (!(error instanceof LanguageEngineError) || usage.total_tokens === 0) return error
  const { code, message, upstreamStatus, retryable, retryAfter, requestFault } = error
  const facts = { upstreamStatus, retryable, retryAfter, usage, ...(requestFault && { requestFault }) }
  return new LanguageEngineError(code, message, facts)
}

async function ask(
  { server, model }: Offer,
  hasOther: boolean,
  { input, dimensions }: EmbeddingRequest,
  asker: string,
  signal: AbortSignal,
): Promise<{ vectors: Float32Array[]; usage: TokenUsage }> {
  const { passing: parameters, vectorsBreaker: breaker } = server
  const { client, send } = connect(server, asker, { hasOther, withinMs, maxBytes, parameters, breaker })
  const raw = await send(signal, (either) => {
    const params = { model, input, encoding_format: 'base64', ...(dimensions !== undefined && { dimensions }) }
    return client.post<unknown>('/embeddings', { body: parameters.fit(params), signal: either })
  })
  const { data } = Vectors.safeParse(raw)
  if (data?.data.length !== input.length) throw malformedError()
  const vectors: Float32Array[] = []
  for (const [place, { index = place, embedding }] of data.data.entries()) vectors[index] = vectorOf(embedding)
  const length = dimensions ?? vectors[0]?.length ?? 0
  for (let i = 0; i < input.length; i++) {
    const vector = vectors[i]
    if (vector === undefined || vector.length !== length || !vector.every(Number.isFinite)) throw malformedError()
  }
  const read = input.map((one) => (typeof one === 'string' ? one : 'word'.repeat(one.length)))
  const estimated = estimateUsage(read, '')
  const prompt_tokens = data.usage?.prompt_tokens ?? estimated.prompt_tokens
  return { vectors, usage: { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens } }
}

/** Decodes a vector from numbers or from base64 (Float32, little-endian). */
function vectorOf(embedding: string | number[]): Float32Array {
  if (typeof embedding !== 'string') {
    if (embedding.length === 0 || embedding.length > mostDimensions) throw malformedError()
    return Float32Array.from(embedding)
  }
  const bytes = Buffer.from(embedding, 'base64')
  const count = bytes.length / 4
  if (!Number.isInteger(count) || count === 0 || count > mostDimensions) throw malformedError()
  return Float32Array.from({ length: count }, (_, i) => bytes.readFloatLE(i * 4))
}
