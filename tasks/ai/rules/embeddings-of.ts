import type { z } from 'zod'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import * as embeddings from '#sql/ai/embeddings.ts'
import * as upstreams from '#sql/ai/upstreams.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { QuestionOptions } from '../../queue/ask.ts'
import { embed } from '../embed.ts'
import type { EngineResult, TokenUsage } from '../engine.ts'
import type { Failure, Outcome } from './charged.ts'
import { hashInput } from './digest.ts'
import { embeddedModel, hasEmbeddedModel } from './embedded-model.ts'
import type { EmbeddingRequest } from './gateway.ts'
import { timeoutMs } from './request.ts'

export type AskEmbed = (
  task: typeof embed,
  payload: z.input<typeof embed.payload>,
  options: QuestionOptions,
) => Promise<Outcome<EngineResult>>

export interface Embeddings {
  model: string
  bytes: Buffer[]
  usage: TokenUsage
}

export type EmbeddedOutcome = { embedded: Embeddings } | { failure: Failure }

const noModel: Failure = { code: 'provider_not_configured', upstream_status: null, retryable: false }
const notFound: Failure = {
  code: 'upstream_error',
  upstream_status: null,
  retryable: false,
  request_fault: { kind: 'model_not_found' },
}
const lost: Failure = { code: 'upstream_error', upstream_status: null, retryable: true }
const nothing: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

export interface EmbeddingModel {
  /** Name on its server. */
  real: string
  /** True for the model inside the workers. */
  isEmbedded: boolean
}

/**
 * Returns the model of a name. For `default`, returns the first model of the upstream servers, or the model inside the
 * workers if they have none.
 */
export async function findEmbeddingModel(
  db: DatabasePool,
  asked: string,
): Promise<{ model: EmbeddingModel } | { failure: Failure }> {
  const known = await upstreams.list(db)
  const models = known.flatMap((one) => one.embedding_models)
  const found = asked === defaultModel ? models[0] : models.find((one) => one.asked === asked)
  if (found) return { model: { real: found.real, isEmbedded: false } }
  if (hasEmbeddedModel() && (asked === defaultModel || asked === embeddedModel.name))
    return { model: { real: embeddedModel.name, isEmbedded: true } }
  const hasModels = hasEmbeddedModel() || known.some((one) => one.models.length + one.embedding_models.length > 0)
  return { failure: hasModels && asked !== defaultModel ? notFound : noModel }
}

/** Returns cached vectors immediately and creates the missing vectors on a worker. */
export async function getEmbeddings(
  db: DatabasePool,
  ask: AskEmbed,
  orgId: string,
  { real, isEmbedded }: EmbeddingModel,
  request: EmbeddingRequest,
  { signal, keyId }: { signal?: AbortSignal; keyId?: string } = {},
): Promise<EmbeddedOutcome> {
  const shelf = { orgId, model: real, dimensions: isEmbedded ? 0 : (request.dimensions ?? 0) }
  const digests = request.input.map(hashInput)
  const kept = await embeddings.find(db, shelf, digests)
  const missing = new Map(digests.map((digest, i) => [digest, request.input[i] ?? '']))
  for (const digest of kept.keys()) missing.delete(digest)
  let usage = nothing
  if (missing.size > 0) {
    const input = [...missing.values()].map((one) => (typeof one === 'string' ? one : [...one]))
    const about = { orgId, timeout: timeoutMs + 5_000, forgotten: true, ...(signal && { signal }) }
    const outcome = await ask(embed, { ...request, orgId, keyId, input }, about)
    if ('failure' in outcome) return outcome
    usage = outcome.answer.usage
    for (const [digest, vector] of await embeddings.find(db, shelf, [...missing.keys()])) kept.set(digest, vector)
  }
  const bytes = digests.flatMap((digest) => kept.get(digest) ?? [])
  if (bytes.length < digests.length) return { failure: lost }
  return { embedded: { model: real, bytes, usage } }
}
