import OpenAI from 'openai'
import { z } from 'zod'
import type { Embedder } from '#tasks/knowledge/engine.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { createBreaker } from './breaker.ts'
import { faultOf, malformed } from './faults.ts'

/** Where the model is. */
export interface EmbedderSettings {
  baseUrl: string
  apiKey: string
  model: string
  timeoutMs: number
  retries: number
}

/** Numbers of a vector at most. */
const mostNumbers = 8_192

const Reply = z.object({
  data: z.array(z.object({ index: z.number().optional(), embedding: z.array(z.number()).min(1).max(mostNumbers) })),
})

/** Opens the embedder of a server that speaks OpenAI's API. */
export function createUpstreamEmbedder({ baseUrl, apiKey, model, timeoutMs, retries }: EmbedderSettings): Embedder {
  const breaker = createBreaker(timeoutMs)
  return {
    model,
    async embed(texts, orgId, signal, withinMs) {
      const silenceMs = Math.min(withinMs ?? timeoutMs, timeoutMs)
      const client = new OpenAI({
        baseURL: baseUrl,
        apiKey: apiKey || 'none',
        // The SDK would read these from the environment, and send them along.
        organization: null,
        project: null,
        logLevel: 'off',
        ...(apiKey === '' && { defaultHeaders: { authorization: null } }),
        timeout: silenceMs + 5_000,
        maxRetries: withinMs === undefined ? retries : 0,
        fetch: boundedFetch(silenceMs, () => breaker.enter(orgId)),
      })
      try {
        const raw: unknown = await client.embeddings.create(
          { model, input: [...texts], encoding_format: 'float' },
          { signal },
        )
        return vectorsOf(raw, texts.length)
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const fault = faultOf(error)
        if (fault.code === 'input_too_long') return undefined
        throw fault
      }
    },
  }
}

/** The vectors of a reply, each in the place of its text, all of one length. */
function vectorsOf(raw: unknown, count: number): Float32Array[] {
  const parsed = Reply.safeParse(raw)
  if (!parsed.success || parsed.data.data.length !== count) throw malformed()
  const sorted = parsed.data.data
    .map(({ index, embedding }, i) => ({ index: index ?? i, embedding }))
    .sort((one, other) => one.index - other.index)
  const length = sorted[0]?.embedding.length
  const sound = sorted.every(({ index, embedding }, i) => index === i && embedding.length === length)
  if (!sound) throw malformed()
  return sorted.map(({ embedding }) => Float32Array.from(embedding))
}
