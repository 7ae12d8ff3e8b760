import type { Api } from '#lib/config/ai-upstreams.ts'
import type { EngineResult } from './engine-result.ts'
import type { Ranking, RerankRequest } from './rerank-result.ts'

/** Body of a request in one of the APIs. `messages` is in `chat` and `messages`, `input` is in `responses`. */
export interface CompletionRequest {
  model: string
  messages?: unknown[]
  stream_options?: { include_usage?: boolean | undefined } | undefined
  [parameter: string]: unknown
}

export interface PassedCompletion extends EngineResult {
  completion: Record<string, unknown>
}

export interface EmbeddingRequest {
  model: string
  input: readonly (string | readonly number[])[]
  /** Default: the dimensions of the model. */
  dimensions?: number | undefined
}

/**
 * Receives a part of an answer. Resolves when the buffer has room. In `responses` and `messages`, `type` of the part is
 * the name of its event.
 */
export type TellPiece = (piece: Record<string, unknown>) => Promise<void>

/** Passes requests to the first upstream server that responds. */
export interface Gateway {
  complete(request: CompletionRequest, api: Api, signal: AbortSignal): Promise<PassedCompletion>
  /** `tell` receives each part of the answer. After the first part, no other server is used. */
  stream(request: CompletionRequest, api: Api, signal: AbortSignal, tell: TellPiece): Promise<EngineResult>
  embeddingModel(asked: string): string | undefined
  /** `keep` receives vectors as they arrive, with the position in the input of the first vector. */
  embed(
    request: EmbeddingRequest,
    signal: AbortSignal,
    keep: (vectors: readonly Float32Array[], from: number, model: string) => Promise<void>,
  ): Promise<EngineResult>
  /** Orders documents. Returns `null` if no server has a model for this. */
  rerank(request: RerankRequest, signal: AbortSignal): Promise<Ranking | null>
}

export interface RequestFault {
  /** `not_translatable`: no server has the API of the request, and `param` does not exist in `chat`. */
  kind: 'model_not_found' | 'refused' | 'not_translatable'
  /**
   * Code or field from the upstream server if it is an identifier, for example `unsupported_value` or
   * `tools[0].function`.
   */
  code?: string | undefined
  param?: string | undefined
}
