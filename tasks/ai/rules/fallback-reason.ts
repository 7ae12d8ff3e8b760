import type { FallbackReason } from '#lib/config/ai-fallbacks.ts'
import type { LanguageEngineError } from '../engine.ts'

/** Codes with which servers reject a request because of its content. */
const contentCodes: ReadonlySet<string> = new Set([
  'content_filter',
  'content_policy_violation',
  'ResponsibleAIPolicyViolation',
])

type Fault = Pick<LanguageEngineError, 'code' | 'upstreamStatus' | 'requestFault' | 'timedOut'>

/** Returns the kind of a failure, or undefined if another model would also fail because the request is invalid. */
export function fallbackReason({ code, upstreamStatus, requestFault, timedOut }: Fault): FallbackReason | undefined {
  if (code === 'input_too_long') return 'context_length'
  if (code === 'content_refused' || contentCodes.has(requestFault?.code ?? '')) return 'content_filter'
  if (requestFault?.kind === 'refused') return undefined
  if (upstreamStatus === 429) return 'rate_limited'
  return timedOut ? 'timeout' : 'unavailable'
}
