import { describe } from '#lib/errors.ts'
import { newId } from '#lib/ids.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import * as budgets from '#sql/account/budgets.ts'
import * as usage from '#sql/ai/usage.ts'
import { type EngineResult, type LanguageEngine, LanguageEngineError, type TokenUsage } from '../engine.ts'
import { mostAnswerBytes, mostCalls, mostTurns } from './chat-actions.ts'
import type { RequestFault } from './gateway.ts'
import { type ChargeMeans, seated } from './seated.ts'

const works = counter('millrace_language_works_total', 'AI requests by result.', ['operation', 'engine', 'outcome'])
const tokens = counter('millrace_language_tokens_total', 'Tokens of AI requests, input and output.', [
  'operation',
  'kind',
])

/** A kind of language work, as usage is counted by. */
export type LanguageOperation = 'answer' | 'summarize' | 'classify' | 'moderate' | 'chat' | 'completion' | 'embedding'

/** Why language work came to nothing, for whoever asked. */
export interface Failure {
  code: LanguageEngineError['code'] | 'token_budget_exceeded'
  upstream_status: number | null
  retryable: boolean
  /** Seconds after which trying again makes sense, where that is known. */
  retry_after?: number
  /** What is wrong with a request that was passed on as it is. */
  request_fault?: RequestFault
}

/** What language work came to: a fault of the upstream's is an answer, too, as trying the job again is the client's to decide. */
export type Outcome<A> = { answer: A } | { failure: Failure }

const overBudget: Failure = { code: 'token_budget_exceeded', upstream_status: null, retryable: false }
const nothing: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/**
 * Does language work for an organisation and counts what it cost. Work that waited while the month's tokens were spent is not
 * begun, so that a plan is overshot by no more than what runs at once. Of an organisation's own budget the most that the work
 * may cost is reserved before it begins, so that it is never overshot. Work that is broken off (its asker has gone, it is
 * cancelled or out of time) ends its reservation, too, and is charged by an estimate. Throws `Later` while the organisation has its share
 * of what the engine does at once.
 */
export async function charged<A extends EngineResult>(
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
    // Not only while the attempt owns its job: what was spent was spent.
    await db.transaction(async (tx) => {
      await budgets.release(tx, reservation)
      await usage.add(tx, orgId, { operation, outcome, prompt_tokens, completion_tokens })
    })
  }
  const breakOff = (begun: number | undefined) =>
    count('none', 'broken_off', begun === undefined ? nothing : likelyTokens(request, performance.now() - begun))
  const standing = await usage.find(db, orgId)
  if (standing.tokens >= standing.budget) {
    await count('none', overBudget.code, nothing)
    return { failure: overBudget }
  }
  return await seated(means, orgId, async ({ llm }) => {
    const about = { id: reservation, orgId, amount: mostTokens(request), seconds: reservedSeconds }
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
        await breakOff(begun).catch((err) => log.warn({ err: describe(err) }, 'cannot charge a request'))
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

/** Seconds after which a reservation that nobody settled ends: longer than any work may take. */
const reservedSeconds = 900

/** Tokens of an engine's own words around a request. */
const ownWords = 2_048

/** Tokens of an answer whose length nobody limits. */
export const longestAnswer = 4_096

/**
 * The most that a request may cost: no tokenizer makes more tokens of a text than it has bytes. With actions it is sent again, with
 * what they were given and have answered by then.
 */
function mostTokens(request: object): number {
  const { maxTokens, actions } = request as { maxTokens?: number | null; actions?: object }
  const answer = maxTokens ?? longestAnswer
  const once = Buffer.byteLength(JSON.stringify(request)) + ownWords + answer
  return actions ? mostTurns * (once + answer) + (mostTurns - 1) * mostCalls * mostAnswerBytes : once
}

/** Bytes of a text to a token, and tokens that an engine writes in a second where it is fast. */
const [bytesPerToken, fastest] = [4, 200]

/** What a request has likely cost that was broken off after `ms`: all of it read, and written what was possible; never above the most. */
function likelyTokens(request: object, ms: number): TokenUsage {
  const { maxTokens } = request as { maxTokens?: number | null }
  const prompt_tokens = Math.ceil(Buffer.byteLength(JSON.stringify(request)) / bytesPerToken)
  const completion_tokens = Math.min(maxTokens ?? longestAnswer, Math.ceil((ms / 1000) * fastest))
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens }
}
