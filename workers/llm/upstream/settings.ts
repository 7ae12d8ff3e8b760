import {
  type Api,
  firstUpstream,
  type KeyHeader,
  parseFurtherUpstreams,
  parseModelNames,
} from '#lib/config/ai-upstreams.ts'
import type { Config } from '#lib/config.ts'
import type { NamedModel } from '#sql/ai/upstreams.ts'

export interface UpstreamSettings {
  name: string
  baseUrl: string
  apiKey: string
  /** Models in order of preference. The first is the default. */
  models: readonly NamedModel[]
  embeddingModels: readonly NamedModel[]
  rerankModels: readonly NamedModel[]
  /** APIs for conversations that the server has. */
  speaks: readonly Api[]
  keyHeader: KeyHeader
  moderationModel: string | undefined
  timeoutMs: number
  retries: number
}

/** Returns the configured servers in order, or none if the first one is not configured. */
export function listUpstreams(config: Config): UpstreamSettings[] {
  const { AI_BASE_URL: baseUrl, AI_MODEL: model } = config
  if (baseUrl === undefined || model === undefined) return []
  const common = { timeoutMs: config.AI_TIMEOUT_MS, retries: config.AI_RETRIES }
  const first: UpstreamSettings = {
    ...common,
    name: firstUpstream,
    baseUrl,
    apiKey: config.AI_API_KEY,
    models: [{ asked: model, real: model }, ...config.AI_MODELS.map(parseModelNames)],
    embeddingModels: config.AI_EMBEDDING_MODELS.map(parseModelNames),
    rerankModels: config.AI_RERANK_MODELS.map(parseModelNames),
    speaks: config.AI_SPEAKS,
    keyHeader: 'authorization',
    moderationModel: config.AI_MODERATION_MODEL,
  }
  const keys = new Map(config.AI_UPSTREAM_CREDENTIALS.map((one) => splitAt(one, one.indexOf('='))))
  const further = parseFurtherUpstreams(config.AI_UPSTREAMS).map(
    (one): UpstreamSettings => ({
      ...common,
      name: one.name,
      baseUrl: one.base_url,
      apiKey: keys.get(one.name) ?? '',
      models: one.models.map(parseModelNames),
      embeddingModels: one.embedding_models.map(parseModelNames),
      rerankModels: one.rerank_models.map(parseModelNames),
      speaks: one.speaks,
      keyHeader: one.key_header,
      moderationModel: one.moderation_model,
      ...(one.timeout_ms !== undefined && { timeoutMs: one.timeout_ms }),
    }),
  )
  return [first, ...further]
}

const splitAt = (text: string, at: number): [string, string] => [text.slice(0, at).trim(), text.slice(at + 1)]
