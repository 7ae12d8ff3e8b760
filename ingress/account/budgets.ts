import { z } from 'zod'
import * as rows from '#sql/account/usage/budgets.ts'
import { removeBudget, setBudget } from '#tasks/account/rules/budgets.ts'
import { Instant } from '../http/instant.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { actForKey } from './acting.ts'
import { MetricField } from './usage.ts'

const abovePlan = problem(400, 'above_plan', 'The limit is higher than the plan’s limit. The lower of the two applies.')
const params = z.object({ metric: MetricField })

const Amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER)

const Budget = z
  .object({
    metric: z.string(),
    period: rows.Period,
    soft: z.number().nullable(),
    hard: z.number().nullable(),
    alert_at: z.array(z.int()),
    updated_at: Instant,
  })
  .meta({ id: 'account.Budget' })

const present = ({ org_id: _, ...budget }: rows.Budget): z.input<typeof Budget> => budget

export const list = route({
  method: 'GET',
  path: '/account/budgets',
  summary: 'List budgets',
  description: 'Returns the soft and hard limits that the organisation has set for itself, by metric.',
  tool: { name: 'list_budgets' },
  scope: 'account:read',
  beyondContract: true,
  status: 200,
  reply: z.object({ data: z.array(Budget) }),
  async handle({ db, org }) {
    return { data: (await rows.list(db, org.id)).map(present) }
  },
})

export const put = route({
  method: 'PUT',
  path: '/account/budgets/{metric}',
  summary: 'Set the budget for a metric',
  description:
    'Requests that would exceed the hard limit return `429`. The limit is exact. Accepted work continues. Work of unknown size, such as calls and AI requests, reserves its maximum. A soft limit only sends alerts. Sign-in codes and links are always sent.',
  scope: 'account:write',
  beyondContract: true,
  params,
  body: z.strictObject({
    period: rows.Period.default('month').describe('Period in UTC'),
    soft: Amount.nullish(),
    hard: Amount.nullish(),
    alert_at: z
      .array(z.int().min(1).max(1_000))
      .max(10)
      .optional()
      .describe(
        'Alert thresholds as percentages of `soft`, or of `hard` if `soft` is not set. Each threshold sends one alert per period. Default: 80 and 100.',
      ),
  }),
  status: 200,
  reply: Budget,
  problems: [abovePlan],
  example: { body: { period: 'month', soft: 80_000, hard: 100_000, alert_at: [50, 80, 100] } },
  async handle({ db, plan, params: { metric }, body, ...call }) {
    return present(await db.transaction((tx) => setBudget(tx, actForKey(call), { plan, metric, wish: body })))
  },
})

export const remove = route({
  method: 'DELETE',
  path: '/account/budgets/{metric}',
  summary: 'Remove the budget for a metric',
  description: 'Only the plan limit then applies.',
  scope: 'account:write',
  beyondContract: true,
  params,
  status: 204,
  problems: ['not_found'],
  async handle({ db, params: { metric }, ...call }) {
    await db.transaction((tx) => removeBudget(tx, actForKey(call), metric))
  },
})
