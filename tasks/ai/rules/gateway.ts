import type { EngineResult } from './engine-result.ts'

export interface CompletionRequest {
  model: string
  messages: unknown[]
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

/** Receives a part of an answer in JSON. Resolves when the buffer has room. */
export type TellPiece = (json: string) => Promise<void>

/** Passes requests in OpenAI's format to the first upstream server that responds. */
export interface Gateway {
  complete(request: CompletionRequest, signal: AbortSignal): Promise<PassedCompletion>
  /** `tell` receives each part of the answer. After the first part, no other server is used. */
  stream(request: CompletionRequest, signal: AbortSignal, tell: TellPiece): Promise<EngineResult>
  embeddingModel(asked: string): string | undefined
  /** `keep` receives vectors as they arrive, with the position in the input of the first vector. */
  embed(
    request: EmbeddingRequest,
    signal: AbortSignal,
    keep: (vectors: readonly Float32Array[], from: number, model: string) => Promise<void>,
  ): Promise<EngineResult>
}

export interface RequestFault {
  kind: 'model_not_found' | 'refused'
  /**
   * Code or field from the upstream server if it is an identifier, for example `unsupported_value` or
   * `tools[0].function`.
   */
  code?: string | undefined
  param?: string | undefined
}
