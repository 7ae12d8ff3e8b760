import { APIError } from 'openai'

/** Parameters of our own requests that some compatible servers and models reject. */
const optional = ['response_format', 'stream_options', 'temperature', 'max_tokens', 'encoding_format'] as const

/** Parameters that Millrace adds to passed requests. Parameters of the client are never omitted. */
export const addedParameters = ['stream_options', 'encoding_format'] as const

type OptionalParameter = (typeof optional)[number]

interface Optional extends Partial<Record<OptionalParameter, unknown>> {
  [parameter: string]: unknown
  max_tokens?: number | null
  max_completion_tokens?: number | null
}

export interface Parameters {
  fit<P extends Optional>(params: P): P
  /** Stores and returns the parameter that an error rejects. Returns undefined if no parameter can be omitted. */
  learn(error: unknown): OptionalParameter | undefined
  /** Reverts parameters that were learnt without success. An error can contain any word of a request. */
  unlearn(names: readonly OptionalParameter[]): void
}

/** Starts with all parameters supported. `known` lists the parameters that can be omitted. */
export function createParameters(known: readonly OptionalParameter[] = optional): Parameters {
  const refused = new Set<OptionalParameter>()
  return {
    fit(params) {
      const fitting = { ...params }
      for (const name of refused) delete fitting[name]
      // OpenAI's newer models use another name for this limit.
      if (refused.has('max_tokens') && params.max_tokens) fitting.max_completion_tokens = params.max_tokens
      return fitting
    },
    learn(error) {
      if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return undefined
      const named = known.find((name) => error.param === name) ?? known.find((name) => error.message.includes(name))
      if (named === undefined || refused.has(named)) return undefined
      refused.add(named)
      return named
    },
    unlearn(names) {
      for (const name of names) refused.delete(name)
    },
  }
}
