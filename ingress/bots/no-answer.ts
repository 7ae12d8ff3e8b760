import { Problem } from '#lib/errors.ts'
import type { AnswerError, Message } from '#sql/bots/messages.ts'
import type { Db } from '#sql/db.ts'
import { isKeyProblem, keyProblem } from '#tasks/ai/rules/require-key-use.ts'
import { findTokenProblem, tokenBudgetCode } from '#tasks/ai/rules/token-budget.ts'
import { keyProblems } from '../http/limits/ai-key-problems.ts'
import { type DeclaredProblem, problem } from '../http/problem-kinds.ts'

const tooLong = problem(400, 'input_too_long', 'The conversation is too long for the model.')
const notConfigured = problem(503, 'not_configured', 'No language model is configured.')
const overBudget = problem(
  429,
  tokenBudgetCode,
  'The plan’s tokens for this month are used up. `Retry-After` gives the seconds until next month.',
)

export const noAnswerProblems: readonly DeclaredProblem[] = [
  ...['upstream_error' as const, tooLong, notConfigured, overBudget],
  ...keyProblems,
]

/** Converts a failed answer to a problem. The problem never contains the error message of the upstream server. */
export async function toAnswerProblem(db: Db, message: Message, error: AnswerError): Promise<Problem> {
  const names = { conversation_id: message.conversation_id, message_id: message.id }
  const details = { ...names, upstream_status: error.upstream_status, retryable: error.retryable }
  if (isKeyProblem(error.code)) return keyProblem(error.code)
  switch (error.code) {
    case 'input_too_long':
      return tooLong('The conversation is too long for the model.', details)
    case 'provider_not_configured':
      return notConfigured(
        'No language model is configured. AI_ENGINE=upstream needs AI_BASE_URL and AI_MODEL.',
        details,
      )
    case tokenBudgetCode:
      return await findTokenProblem(db, message.org_id, names)
    default:
      return new Problem(502, 'upstream_error', 'The bot could not answer. The message is stored.', { details })
  }
}
