import type { Price } from '#sql/ai/prices.ts'
import type { TokenUsage } from './engine-result.ts'

/** The smallest part: a price is per million tokens or per minute (60,000 ms). */
const [tokensPerPrice, msPerPrice] = [1_000_000n, 60_000n]

/** Returns the exact cost in billionths of the price’s currency, rounded up once. */
export function costOf(price: Price, usage: Omit<TokenUsage, 'total_tokens'>): number {
  const { prompt_tokens, completion_tokens, cached_tokens = 0, audio_ms = 0 } = usage
  const cached = Math.min(cached_tokens, prompt_tokens)
  const tokens =
    BigInt(prompt_tokens - cached) * BigInt(price.input) +
    BigInt(cached) * BigInt(price.cached_input ?? price.input) +
    BigInt(completion_tokens) * BigInt(price.output)
  const audio = BigInt(Math.ceil(audio_ms)) * BigInt(price.minute ?? 0)
  const whole = tokensPerPrice * msPerPrice
  return Number((tokens * msPerPrice + audio * tokensPerPrice + whole - 1n) / whole)
}
