import { APIError } from 'openai'

/** Parameters of our own requests that compatible servers and models do not all take. */
const optional = ['response_format', 'stream_options', 'temperature', 'max_tokens', 'encoding_format'] as const

/** Of those, what we add to requests that are passed on: what their clients ask for themselves is not left out behind their backs. */
export const added = ['stream_options', 'encoding_format'] as const

type OptionalParameter = (typeof optional)[number]

/** Of a request for a completion or for embeddings. */
interface Optional extends Partial<Record<OptionalParameter, unknown>> {
  [parameter: string]: unknown
  max_tokens?: number | null
  max_completion_tokens?: number | null
}

/** What a server was seen not to take. */
export interface Parameters {
  /** The parameters that it takes. */
  fit<P extends Optional>(params: P): P
  /** Notes what an error complains of, and returns it; undefined when it complains of nothing that can be left out. */
  learn(error: unknown): OptionalParameter | undefined
  /** Takes back what was learnt in vain: an error may hold any word of a request. */
  unlearn(names: readonly OptionalParameter[]): void
}

/** Begins with a server that is believed to take all; `known` are those that can be left out. */
export function createParameters(known: readonly OptionalParameter[] = optional): Parameters {
  const refused = new Set<OptionalParameter>()
  return {
    fit(params) {
      const fitting = { ...params }
      for (const name of refused) delete fitting[name]
      // OpenAI's newer models want the same limit under another name.
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
