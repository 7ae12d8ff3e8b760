import type { EngineResult } from './engine-result.ts'

/** The body of a request for a completion in OpenAI's shape, as the ingress has checked it. */
export interface CompletionRequest {
  model: string
  messages: unknown[]
  stream_options?: { include_usage?: boolean | undefined } | undefined
  [parameter: string]: unknown
}

/** A whole answer in OpenAI's shape. */
export interface PassedCompletion extends EngineResult {
  completion: Record<string, unknown>
}

/** Texts, or lists of tokens, that are to become vectors. */
export interface EmbeddingRequest {
  /** As clients name it. */
  model: string
  input: readonly (string | readonly number[])[]
  /** As many as the model gives unless said. */
  dimensions?: number | undefined
}

/** Takes a piece of an answer in JSON; resolves when there is room for more. */
export type TellPiece = (json: string) => Promise<void>

/** Requests in OpenAI's shape, passed on to the first of the upstream servers that answers. */
export interface Gateway {
  complete(request: CompletionRequest, signal: AbortSignal): Promise<PassedCompletion>
  /** `tell` gets each piece of the answer. Once one is told, no other server is asked. */
  stream(request: CompletionRequest, signal: AbortSignal, tell: TellPiece): Promise<EngineResult>
  /** What the model is called at its server that makes vectors under a name; undefined where none does. */
  embeddingModel(asked: string): string | undefined
  /** `keep` gets vectors with the place of the first of them in the input, as they come. */
  embed(
    request: EmbeddingRequest,
    signal: AbortSignal,
    keep: (vectors: readonly Float32Array[], from: number, model: string) => Promise<void>,
  ): Promise<EngineResult>
}

/** What is wrong with a request itself: an upstream refuses it, or there is no such model. */
export interface RequestFault {
  kind: 'model_not_found' | 'refused'
  /** The upstream's words for it, where they are words of a program: `unsupported_value`, `tools[0].function`. */
  code?: string | undefined
  param?: string | undefined
}
