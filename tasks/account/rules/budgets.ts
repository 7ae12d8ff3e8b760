import { badRequest, type Fault, notFound, Problem } from '#lib/errors.ts'
import * as audit from '#sql/account/audit.ts'
import type { Plan } from '#sql/account/plans.ts'
import { usualPercents } from '#sql/account/usage/budget-alerts.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { getMetric, type MetricName } from '#sql/account/usage/metrics.ts'
import type { Db } from '#sql/db.ts'
import { readAuthority } from './authority.ts'
import type { Doer } from './doer.ts'

export interface BudgetWish {
  period: budgets.Budget['period']
  soft?: number | null | undefined
  hard?: number | null | undefined
  /** Percentages of the soft limit, or of the hard limit if there is no soft limit. */
  alert_at?: readonly number[] | undefined
}

/**
 * Creates or replaces a budget. The budget applies to requests after the commit. Throws 400 for invalid values, and
 * `above_plan` for limits above the plan.
 */
export async function setBudget(
  tx: Db,
  changer: Doer,
  { plan, metric, wish }: { plan: Plan; metric: MetricName; wish: BudgetWish },
): Promise<budgets.Budget> {
  const { period, soft = null, hard = null, alert_at = usualPercents } = wish
  const faults = faultsOf(metric, { period, soft, hard })
  if (faults.length > 0) throw badRequest(faults)
  demandWithinPlan(metric, plan, { soft, hard })
  const { orgId } = changer
  await readAuthority(tx, changer, 'budgets:write')
  const before = await budgets.lock(tx, orgId, metric)
  const percents = [...new Set(alert_at)].sort((a, b) => a - b)
  const after = await budgets.put(tx, { org_id: orgId, metric, period, soft, hard, alert_at: percents })
  const { actor, requestId, network } = changer
  const act = { orgId, actor, requestId, network, action: 'budget.changed', target: metric }
  await audit.append(tx, { ...act, before: valuesOf(before), after: valuesOf(after) })
  return after
}

export async function removeBudget(tx: Db, changer: Doer, metric: MetricName): Promise<void> {
  const { orgId, actor, requestId, network } = changer
  await readAuthority(tx, changer, 'budgets:write')
  const before = await budgets.lock(tx, orgId, metric)
  if (!before) throw notFound('budget')
  await budgets.remove(tx, orgId, metric)
  const act = { orgId, actor, requestId, network, action: 'budget.changed', target: metric }
  await audit.append(tx, { ...act, before: valuesOf(before) })
}

/** True if usage above a limit can be rejected exactly: the metric is counted with its effect, or is storage. */
export const mayHaveHardLimit = (metric: MetricName): boolean =>
  getMetric(metric).counted === 'effect' || metric === 'storage.bytes'

function faultsOf(metric: MetricName, { period, soft, hard }: Required<Omit<BudgetWish, 'alert_at'>>): Fault[] {
  const faults: Fault[] = []
  if (soft === null && hard === null) faults.push({ field: 'body', issue: 'must contain `soft`, `hard` or both' })
  if (typeof soft === 'number' && typeof hard === 'number' && soft > hard)
    faults.push({ field: 'body.soft', issue: 'must not be above `hard`, because the alert would never be sent' })
  if (typeof hard === 'number' && !mayHaveHardLimit(metric))
    faults.push({
      field: 'body.hard',
      issue: 'cannot be set for this metric, because it is counted only once per hour',
    })
  if (metric === 'storage.bytes' && period !== 'month')
    faults.push({ field: 'body.period', issue: 'must be `month` for stored bytes' })
  return faults
}

function demandWithinPlan(metric: MetricName, plan: Plan, wish: Pick<BudgetWish, 'soft' | 'hard'>): void {
  const { plan: name } = getMetric(metric)
  if (!name) return
  const max = plan[name]
  const above = (['soft', 'hard'] as const).filter((field) => (wish[field] ?? 0) > max)
  if (above.length === 0) return
  const fields = above.map((field) => `body.${field}`)
  throw new Problem(400, 'above_plan', `${fields.join(' and ')} must be at most ${max}, the limit of the plan.`, {
    details: fields.map((field) => ({ field, issue: `must be at most ${max}, the limit of the plan` })),
  })
}

const valuesOf = (budget: budgets.Budget | null): audit.Act['after'] =>
  budget && { period: budget.period, soft: budget.soft, hard: budget.hard, alert_at: budget.alert_at }
