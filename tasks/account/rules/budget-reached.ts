import { Problem } from '#lib/errors.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { getMetric, type MetricName } from '#sql/account/usage/metrics.ts'
import type { Db } from '#sql/db.ts'

/** Returns the error for a reached hard limit: the limit, the usage, and the time of the reset. */
export async function findReachedBudget(
  db: Db,
  orgId: string,
  metric: MetricName,
  code = 'budget_reached',
): Promise<Problem> {
  const spent = await budgets.findSpent(db, orgId, metric)
  const { limit = 0, used = 0, period = 'month', resets_at = new Date() } = spent ?? {}
  const message = `The organisation has reached its budget per ${period}: ${limit} ${getMetric(metric).unit} (${metric}). ${used} are used or reserved.`
  return new Problem(429, code, message, {
    details: { metric, limit, used, resets_at: resets_at.toISOString() },
    retryAfter: Math.max(1, Math.ceil((resets_at.getTime() - Date.now()) / 1000)),
  })
}

export async function demandBudget(db: Db, orgId: string, metric: MetricName, code?: string): Promise<void> {
  const spent = await budgets.findSpent(db, orgId, metric)
  if (spent && spent.used >= spent.limit) throw await findReachedBudget(db, orgId, metric, code)
}
