import { Problem } from '#lib/errors.ts'
import * as usage from '#sql/ai/usage.ts'
import type { Db } from '#sql/db.ts'
import { demandBudget, findReachedBudget } from '../../account/rules/budget-reached.ts'

export const tokenBudgetCode = 'token_budget_exceeded'

/** Throws 429 if no tokens are left in the plan or in the organisation's own budget. */
export async function requireTokens(db: Db, orgId: string): Promise<void> {
  const standing = await usage.find(db, orgId)
  if (standing.tokens >= standing.budget) throw budgetSpent(standing)
  await demandBudget(db, orgId, 'ai.tokens', tokenBudgetCode)
}

/** Returns the error for a language task that failed because no tokens were left. `more` is added to its details. */
export async function findTokenProblem(db: Db, orgId: string, more: object = {}): Promise<Problem> {
  const standing = await usage.find(db, orgId)
  if (standing.tokens >= standing.budget) return budgetSpent(standing, more)
  return await findReachedBudget(db, orgId, 'ai.tokens', tokenBudgetCode)
}

function budgetSpent({ tokens, budget, resets_at }: Awaited<ReturnType<typeof usage.find>>, more = {}): Problem {
  return new Problem(429, tokenBudgetCode, `${tokens} of ${budget} tokens for this month are used.`, {
    details: {
      metric: 'ai.tokens',
      limit: 'monthly_tokens',
      max: budget,
      used: tokens,
      resets_at: resets_at.toISOString(),
      ...more,
    },
    retryAfter: Math.max(1, (resets_at.getTime() - Date.now()) / 1000),
  })
}
