import { Problem } from '#lib/errors.ts'
import * as usage from '#sql/ai/usage.ts'
import type { AnswerError, Message } from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { demandBudget as demandOwnBudget, findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import { type DeclaredProblem, problem } from '../http/problem-kinds.ts'

const tooLong = problem(400, 'input_too_long', 'The conversation is too long for the model.')
const notConfigured = problem(503, 'not_configured', 'No language model is configured.')
const overBudget = problem(
  429,
  'token_budget_exceeded',
  'The plan’s tokens for this month are used up. `Retry-After` gives the seconds until next month.',
)

export const noAnswerProblems: readonly DeclaredProblem[] = ['upstream_error', tooLong, notConfigured, overBudget]

/** Throws 429 if the organisation has spent the month's tokens of its plan. */
export async function requireTokenBudget(db: Db, orgId: string): Promise<void> {
  const standing = await usage.find(db, orgId)
  if (standing.tokens >= standing.budget) throw budgetSpent(standing)
  await demandOwnBudget(db, orgId, 'ai.tokens', overBudget.code)
}

function budgetSpent({ tokens, budget, resets_at }: Awaited<ReturnType<typeof usage.find>>, names = {}): Problem {
  return new Problem(429, overBudget.code, `${tokens} of ${budget} tokens for this month are used.`, {
    details: {
      metric: 'ai.tokens',
      limit: 'monthly_tokens',
      max: budget,
      used: tokens,
      resets_at: resets_at.toISOString(),
      ...names,
    },
    retryAfter: Math.max(1, (resets_at.getTime() - Date.now()) / 1000),
  })
}

/** Converts a failed answer to a problem. The problem never contains the error message of the upstream server. */
export async function toAnswerProblem(db: Db, message: Message, error: AnswerError): Promise<Problem> {
  const names = { conversation_id: message.conversation_id, message_id: message.id }
  const details = { ...names, upstream_status: error.upstream_status, retryable: error.retryable }
  switch (error.code) {
    case 'input_too_long':
      return tooLong('The conversation is too long for the model.', details)
    case 'provider_not_configured':
      return notConfigured(
        'No language model is configured. AI_ENGINE=upstream needs AI_BASE_URL and AI_MODEL.',
        details,
      )
    case 'token_budget_exceeded': {
      const standing = await usage.find(db, message.org_id)
      if (standing.tokens >= standing.budget) return budgetSpent(standing, names)
      return await findReachedBudget(db, message.org_id, 'ai.tokens', overBudget.code)
    }
    default:
      return new Problem(502, 'upstream_error', 'The bot could not answer. The message is stored.', { details })
  }
}
