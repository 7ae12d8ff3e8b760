import type { TokenUsage } from '#tasks/ai/engine.ts'

const charactersPerToken = 4

const tokensOf = (texts: readonly string[]) =>
  Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / charactersPerToken)

export function estimateUsage(read: readonly string[], written: string): TokenUsage {
  const prompt_tokens = tokensOf(read)
  const completion_tokens = tokensOf([written])
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}

export const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  completion_tokens: one.completion_tokens + other.completion_tokens,
  total_tokens: one.total_tokens + other.total_tokens,
  ...(one.cached_tokens || other.cached_tokens
    ? { cached_tokens: (one.cached_tokens ?? 0) + (other.cached_tokens ?? 0) }
    : {}),
})
