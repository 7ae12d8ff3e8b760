/** What a request cost; the embedded engine counts characters as a quarter of a token each. */
export interface TokenUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
}

/** Who did the work, and what it cost. */
export interface EngineResult {
  engine: 'upstream' | 'embedded'
  model: string
  usage: TokenUsage
}
