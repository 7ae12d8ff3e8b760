import { APIError } from 'openai'
import type { ChatCompletionCreateParams } from 'openai/resources/chat/completions'

/** Parameters that compatible servers and models do not all take. */
const optional = ['response_format', 'stream_options', 'temperature', 'max_tokens'] as const

type OptionalParameter = (typeof optional)[number]

/** What a server was seen not to take. */
export interface Parameters {
  /** The parameters that it takes. */
  fit<P extends ChatCompletionCreateParams>(params: P): P
  /** Notes what an error complains of; false when it complains of nothing that can be left out. */
  learn(error: unknown): boolean
}

/** Begins with a server that is believed to take all. */
export function createParameters(): Parameters {
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
      if (!(error instanceof APIError) || (error.status !== 400 && error.status !== 422)) return false
      const named =
        optional.find((name) => error.param === name) ?? optional.find((name) => error.message.includes(name))
      if (named === undefined || refused.has(named)) return false
      refused.add(named)
      return true
    },
  }
}
