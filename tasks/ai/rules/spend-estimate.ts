import { mostAnswerBytes, mostCalls, mostTurns } from './chat-actions.ts'
import type { TokenUsage } from './engine-result.ts'

const ownWords = 2_048

export const defaultMaxTokens = 4_096

/**
 * Returns the maximum tokens of a request: a text has at most as many tokens as bytes. With actions, the request is
 * repeated with their arguments and results.
 */
export function estimateMostUsage(request: object): TokenUsage {
  const { maxTokens, actions, audioMs } = request as { maxTokens?: number | null; actions?: object; audioMs?: number }
  const answer = maxTokens ?? defaultMaxTokens
  const input = Buffer.byteLength(JSON.stringify(request)) + ownWords
  const turns = actions ? mostTurns : 1
  const repeated = actions ? mostTurns * answer + (mostTurns - 1) * mostCalls * mostAnswerBytes : 0
  return { ...sum(turns * input + repeated, turns * answer), ...(audioMs && { audio_ms: audioMs }) }
}

/** Number of bytes per token, and tokens and seconds of audio per second of a fast engine. */
const [bytesPerToken, fastest, fastestAudio] = [4, 200, 100]

/**
 * Estimates the tokens of a request that was interrupted after `ms`: its whole input and the output possible in this
 * time, up to the maximum. All tokens of audio are input.
 */
export function estimateSpentUsage(request: object, ms: number): TokenUsage {
  const { maxTokens, audioMs } = request as { maxTokens?: number | null; audioMs?: number }
  if (audioMs !== undefined)
    return { ...sum(maxTokens ?? 0, 0), audio_ms: Math.min(audioMs, Math.ceil(ms * fastestAudio)) }
  const input = Math.ceil(Buffer.byteLength(JSON.stringify(request)) / bytesPerToken)
  return sum(input, Math.min(maxTokens ?? defaultMaxTokens, Math.ceil((ms / 1000) * fastest)))
}

const sum = (prompt_tokens: number, completion_tokens: number): TokenUsage => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
})
