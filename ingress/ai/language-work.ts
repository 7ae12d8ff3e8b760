import type { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Failure, LanguageOperation, Outcome } from '#tasks/ai/rules/charged.ts'
import { timeoutMs } from '#tasks/ai/rules/request.ts'
import { isKeyProblem, keyProblem, requireKeyUse } from '#tasks/ai/rules/require-key-use.ts'
import { findTokenProblem, requireTokens, tokenBudgetCode } from '#tasks/ai/rules/token-budget.ts'
import type { Task } from '#tasks/queue/task.ts'
import type { Services } from '../http/container.ts'
import { keyProblems } from '../http/limits/ai-key-problems.ts'
import { type DeclaredProblem, noAnswerInTime, problem } from '../http/problem-kinds.ts'
import { questions } from '../http/services.ts'

const overBudget = problem(
  429,
  tokenBudgetCode,
  'The plan’s tokens for this month are used up. `Retry-After` gives the seconds until next month.',
)
export const notConfigured = problem(503, 'not_configured', 'No upstream model is configured.')
export const tooLong = problem(400, 'input_too_long', 'The text is too long for the model.')
const refused = problem(400, 'content_refused', 'The upstream model refused to process this text.')

export const languageProblems: readonly DeclaredProblem[] = [
  ...['upstream_error' as const, noAnswerInTime, overBudget, notConfigured, tooLong, refused],
  ...keyProblems,
]

interface CallContext {
  org: { id: string }
  key: { id: string }
  db: DatabasePool
  signal: AbortSignal
  services: Services
}

interface LanguageTaskOptions {
  /** Requested model. Default: `default`. */
  model?: string
  toProblem?: typeof toFailureProblem
}

/**
 * Runs a language task on a worker within the organisation's budget. If the client disconnects, the task is cancelled.
 */
export async function runLanguageTask<P extends z.ZodType, A>(
  { org, key, db, signal, services }: CallContext,
  task: Task<P, 'llm', Outcome<A>>,
  payload: z.input<P>,
  { model, toProblem = toFailureProblem }: LanguageTaskOptions = {},
): Promise<A> {
  await requireTokens(db, org.id)
  await requireKeyUse(db, key.id, task.name.slice('ai/'.length) as LanguageOperation, model)
  const about = { orgId: org.id, timeout: timeoutMs + 5_000, signal, forgotten: true }
  const outcome = await services(questions).ask(task, payload, about)
  if ('answer' in outcome) return outcome.answer
  throw await toProblem(db, org.id, outcome.failure)
}

type StoredFailure = Pick<Failure, 'upstream_status' | 'retryable'> & { code: string; retry_after?: number | undefined }

export async function toFailureProblem(db: DatabasePool, orgId: string, failure: StoredFailure): Promise<Problem> {
  if (isKeyProblem(failure.code)) return keyProblem(failure.code, undefined, failure.retry_after)
  return failure.code === tokenBudgetCode ? await findTokenProblem(db, orgId) : toPublicProblem(failure)
}

/** Converts a failure to a problem. The problem never contains the error message of the upstream server. */
function toPublicProblem({ code, upstream_status, retryable, retry_after: retryAfter }: StoredFailure): Problem {
  const details = { provider: 'upstream', upstream_status, retryable }
  switch (code) {
    case 'provider_not_configured':
      return notConfigured('No upstream model is configured. AI_ENGINE=upstream needs AI_BASE_URL and AI_MODEL.')
    case 'input_too_long':
      return tooLong('The text is too long for the upstream model.')
    case 'content_refused':
      return refused('The upstream model refused to process this text.')
    default:
      return new Problem(502, 'upstream_error', 'The language engine failed.', {
        details,
        ...(retryAfter !== undefined && { retryAfter }),
      })
  }
}
