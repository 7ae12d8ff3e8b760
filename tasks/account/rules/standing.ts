import type { Plan } from '#sql/account/plans.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import { getMetric, type Metric, type MetricName, metricNames } from '#sql/account/usage/metrics.ts'
import { readStoredBytes } from '#sql/account/usage/storage.ts'
import * as usage from '#sql/account/usage.ts'
import type { Db } from '#sql/db.ts'

export interface Standing extends Pick<Metric, 'area' | 'unit' | 'words' | 'billable'> {
  metric: MetricName
  period: 'month' | 'day'
  used: number
  limit: number | null
  soft: number | null
  /** Expected usage at the end of the period. `null` for stored amounts. */
  forecast: number | null
  resetsAt: Date
}

const dayMs = 86_400_000

export async function listStandings(db: Db, orgId: string, plan: Plan, now = new Date()): Promise<Standing[]> {
  const used = new Map((await usage.listStanding(db, orgId)).map((row) => [row.metric, row]))
  const own = new Map((await budgets.list(db, orgId)).map((budget) => [budget.metric, budget]))
  const stored = await readStoredBytes(db, orgId)
  return metricNames.map((metric) => {
    const { area, unit, words, billable, counted, plan: planned } = getMetric(metric)
    const budget = own.get(metric)
    const period = budget?.period ?? 'month'
    const limits = [planned ? plan[planned] : null, budget?.hard ?? null].filter((limit) => limit !== null)
    const amount = metric === 'storage.bytes' ? stored : (used.get(metric)?.[counted === 'peak' ? 'day' : period] ?? 0)
    const { start, end } = boundsOf(period, now)
    const elapsed = Math.max(dayMs / 24, now.getTime() - start)
    return {
      metric,
      area,
      unit,
      words,
      billable,
      period,
      used: amount,
      limit: limits.length > 0 ? Math.min(...limits) : null,
      soft: budget?.soft ?? null,
      forecast: counted === 'peak' ? null : Math.max(amount, Math.round((amount * (end - start)) / elapsed)),
      resetsAt: new Date(end),
    }
  })
}

function boundsOf(period: Standing['period'], now: Date): { start: number; end: number } {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  if (period === 'month') return { start: Date.UTC(year, month), end: Date.UTC(year, month + 1) }
  return { start: Date.UTC(year, month, day), end: Date.UTC(year, month, day + 1) }
}
