import { defaultModel } from '#lib/config/ai-upstreams.ts'
import * as limits from '#sql/ai/key-limits.ts'
import type * as prices from '#sql/ai/prices.ts'
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

type Budget = NonNullable<limits.LimitedKey['ai']['budget']>

/** Returns the budgets of a key with their usage, the shorter period first. */
function boundsOf({ monthly, daily }: Budget, spent: limits.KeySpent) {
  const bounds = [
    { period: 'day' as const, limit: daily, used: spent.day, startsOn: spent.day_start, resetsAt: spent.day_ends },
    {
      period: 'month' as const,
      limit: monthly,
      used: spent.month,
      startsOn: spent.month_start,
      resetsAt: spent.month_ends,
    },
  ]
  return bounds.flatMap(({ limit, ...bound }) => (limit === undefined ? [] : [{ ...bound, limit }]))
}

/** Returns why a key with these limits cannot use a model now, or null. */
export async function findRefusal(
  db: Db,
  all: readonly limits.LimitedKey[],
  use: ModelUse,
): Promise<KeyRefusal | null> {
  if (!isAllowed(all, use.asked)) return { code: 'model_not_allowed' }
  const budgets = all.flatMap(({ id, ai: { budget } }) => (budget ? [{ id, budget }] : []))
  if (!budgets.every(({ budget }) => isPriced(use, budget))) return { code: 'model_without_price' }
  let isReserved = false
  for (const { id, budget } of budgets) {
    const { currency } = budget
    const spent = await limits.findSpent(db, id, currency)
    const bounds = boundsOf(budget, spent)
    const reached = bounds.find(({ used, limit }) => used >= limit)
    if (reached) return { code: 'key_budget_exceeded', reached: { ...reached, currency } }
    isReserved ||= bounds.some(({ used, limit }) => used + spent.reserved >= limit)
  }
  return isReserved ? { code: 'wait' } : null
}

/** Operations that are often free of charge, so they need no price. */
const freeWithoutPrice: ReadonlySet<string> = new Set(['moderate', 'transcription'])

/** True if all models have a price in the currency, or need none. */
const isPriced = ({ operation, models, prices: known }: ModelUse, { currency }: Budget): boolean =>
  models.every((model) => {
    const price = known.get(model)
    return price ? price.currency === currency : freeWithoutPrice.has(operation)
  })

const percents = [80, 100]

/** Reports the thresholds that the key, or a key that created it, has reached. Call it after adding the cost. */
export async function tellThresholds(tx: Db, orgId: string, keyId: string): Promise<void> {
  for (const { id, name, ai } of await limits.list(tx, keyId)) {
    const { budget } = ai
    if (!budget) continue
    const { currency } = budget
    for (const { limit, used, period, startsOn } of boundsOf(budget, await limits.findSpent(tx, id, currency))) {
      for (const percent of percents.filter((one) => BigInt(used) * 100n >= BigInt(limit) * BigInt(one))) {
        const alert = { org_id: orgId, key_id: id, period, starts_on: startsOn, percent }
        if (!(await limits.recordAlert(tx, alert))) continue
        const about = { orgId, keyId: id, name, period, startsOn, percent, used, limit, currency }
        await announceKeyThresholds(tx, about)
      }
    }
  }
}
