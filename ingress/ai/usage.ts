import { z } from 'zod'
import * as costs from '#sql/ai/costs.ts'
import * as rows from '#sql/ai/usage.ts'
import { Instant } from '../http/instant.ts'
import { route } from '../http/route.ts'
import { costFields, presentCost } from './cost-fields.ts'

export const read = route({
  method: 'GET',
  path: '/usage',
  beyondContract: true,
  summary: 'Get the token usage of this month',
  description:
    'Returns the tokens used this month, the budget of the plan, the tokens of each operation, and the cost.',
  scope: 'ai:invoke',
  status: 200,
  reply: z.object({
    month: z.string().describe('Month in UTC, such as 2026-01'),
    tokens: z.int(),
    budget: z
      .int()
      .describe(
        'Token budget of the plan. When the budget has been used up, requests return `429 token_budget_exceeded`.',
      ),
    remaining: z.int(),
    resets_at: Instant,
    operations: z.array(
      z.object({
        operation: z.string(),
        requests: z.int(),
        failed: z.int(),
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        total_tokens: z.int(),
      }),
    ),
    costs: z
      .array(z.object(costFields))
      .describe('Cost of this month by currency. `GET /v1/ai/costs` returns it by model, key and day.'),
  }),
  async handle({ org, db }) {
    const [standing, operations, sums] = await Promise.all([
      rows.find(db, org.id),
      rows.byOperation(db, org.id),
      costs.sum(db, org.id, { by: 'none', limit: 100 }),
    ])
    return {
      ...standing,
      remaining: Math.max(0, standing.budget - standing.tokens),
      operations: operations.map((one) => ({ ...one, total_tokens: one.prompt_tokens + one.completion_tokens })),
      costs: sums.map(presentCost),
    }
  },
})
