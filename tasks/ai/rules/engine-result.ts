/** Number of tokens of a request. The embedded engine counts four characters as one token. */
export interface TokenUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

export interface EngineResult {
  engine: 'upstream' | 'embedded'
  model: string
  usage: TokenUsage
}
