import { defaultModel } from '#lib/config/ai-upstreams.ts'
import * as limits from '#sql/ai/key-limits.ts'
import * as prices from '#sql/ai/prices.ts'
import type { Db } from '#sql/db.ts'
import { announceKeyThresholds } from './announce-key-threshold.ts'

/** Reason why a key cannot use a model. `wait` is set if requests in progress reserve the rest of the budget. */
export type KeyRefusal =
  | { code: 'key_revoked' | 'model_not_allowed' | 'model_without_price' }
  | { code: 'key_budget_exceeded'; reached: ReachedKeyBudget }
  | { code: 'wait' }

export interface ReachedKeyBudget {
  period: limits.Period
  currency: string
  limit: number
  used: number
  resetsAt: Date
}

export interface ModelUse {
  /** Requested name. `default` for operations without a model. */
  asked: string
  /** Names on the upstream servers. */
  models: readonly string[]
  operation: string
  prices: ReadonlyMap<string, prices.Price>
}

/** True if all limits allow the model. `default` is a name of its own. */
export const isAllowed = (all: readonly limits.LimitedKey[], asked: string = defaultModel): boolean =>
  all.every(({ ai }) => ai.models === undefined || ai.models.includes(asked))

/** Returns why a key with these limits cannot use a model now, or null. */
export async function findRefusal(
  db: Db,
  all: readonly limits.LimitedKey[],
  use: ModelUse,
): Promise<KeyRefusal | null> {
  if (!isAllowed(all, use.asked)) return { code: 'model_not_allowed' }
  let isReserved = false
  for (const { id, ai } of all) {
    if (!ai.budget) continue
    const { currency, monthly, daily } = ai.budget
    // Moderation is often free of charge, so it needs no price.
    const isPriced = use.models.every((model) => use.prices.get(model)?.currency === currency)
    if (!isPriced && use.operation !== 'moderate') return { code: 'model_without_price' }
    const spent = await limits.findSpent(db, id, currency)
    const bounds = [
      { period: 'day' as const, limit: daily, used: spent.day, resetsAt: spent.day_ends },
      { period: 'month' as const, limit: monthly, used: spent.month, resetsAt: spent.month_ends },
    ]
    for (const { limit, ...bound } of bounds) {
      if (limit === undefined) continue
      if (bound.used >= limit) return { code: 'key_budget_exceeded', reached: { ...bound, limit, currency } }
      isReserved ||= bound.used + spent.reserved >= limit
    }
  }
  return isReserved ? { code: 'wait' } : null
}

const percents = [80, 100]

/** Reports the thresholds that the key, or a key that created it, has reached. Call it after adding the cost. */
export async function tellThresholds(tx: Db, orgId: string, keyId: string): Promise<void> {
  for (const { id, name, ai } of await limits.list(tx, keyId)) {
    if (!ai.budget) continue
    const { currency, monthly, daily } = ai.budget
    const spent = await limits.findSpent(tx, id, currency)
    const bounds = [
      { period: 'month' as const, limit: monthly, used: spent.month, starts_on: spent.month_start },
      { period: 'day' as const, limit: daily, used: spent.day, starts_on: spent.day_start },
    ]
    for (const { limit, used, period, starts_on } of bounds) {
      const reached = limit === undefined ? [] : percents.filter((percent) => BigInt(used) * 100n >= BigInt(limit) * BigInt(percent))
      for (const percent of reached) {
        const isFirst = await limits.recordAlert(tx, { org_id: orgId, key_id: id, period, starts_on, percent })
        const about = { orgId, keyId: id, name, period, startsOn: starts_on, percent, used, limit: limit ?? 0, currency }
        if (isFirst) await announceKeyThresholds(tx, about)
      }
    }
  }
}
