/** Number of tokens of a request. The embedded engine counts four characters as one token. */
export interface TokenUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  /** Input tokens that the upstream server had cached. They are part of `prompt_tokens`. */
  cached_tokens?: number | undefined
  /** Duration of audio in milliseconds, for models with a price per minute. */
  audio_ms?: number | undefined
}

export interface EngineResult {
  engine: 'upstream' | 'embedded'
  model: string
  usage: TokenUsage
}
