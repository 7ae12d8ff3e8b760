import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import * as budgets from '#sql/account/usage/budgets.ts'
import * as usage from '#sql/ai/usage.ts'
import { type EngineResult, type LanguageEngine, LanguageEngineError, type TokenUsage } from '../engine.ts'
import { mostAnswerBytes, mostCalls, mostTurns } from './chat-actions.ts'
import type { RequestFault } from './gateway.ts'
import { type ChargeMeans, runInSeat } from './seated.ts'

const works = counter('millrace_language_works_total', 'AI requests by result.', ['operation', 'engine', 'outcome'])
const tokens = counter('millrace_language_tokens_total', 'Tokens of AI requests, input and output.', [
  'operation',
  'kind',
])

export type LanguageOperation =
  | 'answer'
  | 'summarize'
  | 'classify'
  | 'moderate'
  | 'chat'
  | 'completion'
  | 'embedding'
  | 'rerank'
  | 'transcription'

export interface Failure {
  code: LanguageEngineError['code'] | 'token_budget_exceeded'
  upstream_status: number | null
  retryable: boolean
  retry_after?: number
  request_fault?: RequestFault
}

/**
 * Result of language work. A fault of the upstream server is also a result, because the client decides whether to
 * retry.
 */
export type Outcome<A> = { answer: A } | { failure: Failure }

const overBudget: Failure = { code: 'token_budget_exceeded', upstream_status: null, retryable: false }
const nothing: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/**
 * Does language work for an organisation and charges its tokens. Does not start if the month’s tokens were spent while
 * the work waited, so only concurrent work can exceed a plan. Reserves the maximum cost in the organisation’s own
 * budget, so this budget is never exceeded. If the work is interrupted (client gone, cancelled or timed out), its
 * reservation ends and an estimate is charged. Throws `Later` if the organisation uses its share of the engine.
 */
export async function runCharged<A extends EngineResult>(
  operation: LanguageOperation,
  orgId: string,
  means: ChargeMeans,
  work: (llm: LanguageEngine, signal: AbortSignal) => Promise<A>,
  request: object,
): Promise<Outcome<A>> {
  const { signal, db, own, log } = means
  const reservation = newId()
  const count = async (engine: string, outcome: string, cost: TokenUsage) => {
    const { prompt_tokens, completion_tokens } = cost
    works.inc({ operation, engine, outcome })
    tokens.inc({ operation, kind: 'prompt' }, prompt_tokens)
    tokens.inc({ operation, kind: 'completion' }, completion_tokens)
    // Runs even if the attempt no longer owns its job, because the tokens are spent.
    await db.transaction(async (tx) => {
      await budgets.release(tx, reservation)
      await usage.add(tx, orgId, { operation, outcome, prompt_tokens, completion_tokens })
    })
  }
  const breakOff = (begun: number | undefined) =>
    count('none', 'broken_off', begun === undefined ? nothing : estimateSpentTokens(request, performance.now() - begun))
  const standing = await usage.find(db, orgId)
  if (standing.tokens >= standing.budget) {
    await count('none', overBudget.code, nothing)
    return { failure: overBudget }
  }
  return await runInSeat(means, orgId, async ({ llm }) => {
    const about = { id: reservation, orgId, amount: estimateMaxTokens(request), seconds: reservedSeconds }
    if (!(await own((tx) => budgets.reserve(tx, 'ai.tokens', about)))) {
      await count('none', overBudget.code, nothing)
      return { failure: overBudget }
    }
    const begun = signal.aborted ? undefined : performance.now()
    let answer: A
    try {
      answer = await work(llm, signal)
    } catch (error) {
      if (!(error instanceof LanguageEngineError)) {
        await breakOff(begun).catch((err) => log.warn({ err: describe(err) }, 'could not charge a request'))
        throw error
      }
      await count(error.engine, error.code, error.usage ?? nothing)
      return { failure: failureOf(error) }
    }
    await count(answer.engine, 'done', answer.usage)
    return { answer }
  })
}

function failureOf(error: LanguageEngineError): Failure {
  const { code, upstreamStatus: upstream_status, retryable, retryAfter, requestFault } = error
  return {
    code,
    upstream_status,
    retryable,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(requestFault && { request_fault: requestFault }),
  }
}

/** Time in seconds after which an unsettled reservation ends. Longer than any request. */
const reservedSeconds = 900

const ownWords = 2_048

export const defaultMaxTokens = 4_096

/**
 * Returns the maximum cost of a request in tokens: a text has at most as many tokens as bytes. With actions, the
 * request is repeated with their arguments and results.
 */
function estimateMaxTokens(request: object): number {
  const { maxTokens, actions } = request as { maxTokens?: number | null; actions?: object }
  const answer = maxTokens ?? defaultMaxTokens
  const once = Buffer.byteLength(JSON.stringify(request)) + ownWords + answer
  return actions ? mostTurns * (once + answer) + (mostTurns - 1) * mostCalls * mostAnswerBytes : once
}

/** Number of bytes per token, and tokens per second of a fast engine. */
const [bytesPerToken, fastest] = [4, 200]

/**
 * Estimates the cost of a request that was interrupted after `ms`: its whole input and the output possible in this
 * time, up to the maximum.
 */
function estimateSpentTokens(request: object, ms: number): TokenUsage {
  const { maxTokens } = request as { maxTokens?: number | null }
  const prompt_tokens = Math.ceil(Buffer.byteLength(JSON.stringify(request)) / bytesPerToken)
  const completion_tokens = Math.min(maxTokens ?? defaultMaxTokens, Math.ceil((ms / 1000) * fastest))
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
