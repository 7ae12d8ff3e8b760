import type { FallbackModel } from '#lib/config/ai-fallbacks.ts'
import type { Failure, Outcome } from './charged.ts'

/** Failures of a model that was not used. They do not replace the failure of the model before. */
const unused: ReadonlySet<Failure['code']> = new Set([
  'model_not_allowed',
  'model_without_price',
  'key_budget_exceeded',
  'token_budget_exceeded',
])

/** Asks a model, and after a failure of a kind in `on` the next one. `begun` is true after the first part of an answer. */
export async function tryModels<A>(
  first: string,
  fallbacks: readonly FallbackModel[],
  ask: (model: string, rest: readonly FallbackModel[]) => Promise<Outcome<A>>,
  begun: () => boolean,
): Promise<Outcome<A>> {
  let outcome = await ask(first, fallbacks)
  for (const [i, { model, on }] of fallbacks.entries()) {
    if ('answer' in outcome || begun()) return outcome
    const reason = outcome.failure.fallback_reason
    if (reason === undefined || !on.includes(reason)) continue
    const next = await ask(model, fallbacks.slice(i + 1))
    if ('answer' in next || !unused.has(next.failure.code)) outcome = next
  }
  return outcome
}
