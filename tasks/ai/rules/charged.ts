import type { FallbackReason } from '#lib/config/ai-fallbacks.ts'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { describe, Later } from '#lib/errors.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import * as usage from '#sql/ai/usage.ts'
import { type EngineResult, type LanguageEngine, LanguageEngineError, type TokenUsage } from '../engine.ts'
import { type Charge, type ChargedResult, endCharge, startCharge } from './charge.ts'
import { fallbackReason } from './fallback-reason.ts'
import type { RequestFault } from './gateway.ts'
import type { KeyRefusal } from './key-use.ts'
import { type ChargeMeans, runInSeat } from './seated.ts'
import { estimateSpentUsage } from './spend-estimate.ts'

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
  code: LanguageEngineError['code'] | 'token_budget_exceeded' | Exclude<KeyRefusal['code'], 'wait'>
  upstream_status: number | null
  retryable: boolean
  retry_after?: number
  request_fault?: RequestFault
  /** Set if another model may succeed. */
  fallback_reason?: FallbackReason
}

/**
 * Result of language work. A fault of the upstream server is also a result, because the client decides whether to
 * retry.
 */
export type Outcome<A> = { answer: A } | { failure: Failure }

const overBudget: Failure = { code: 'token_budget_exceeded', upstream_status: null, retryable: false }
const reservedByOthers: Failure = {
  code: 'key_budget_exceeded',
  upstream_status: null,
  retryable: true,
  retry_after: 1,
}
const nothing: TokenUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

/** Delay in milliseconds until work is retried whose budget is reserved by requests in progress. */
const reservedMs = 500

export interface ChargeOptions {
  /** API key of the request. Its allowed models and its budget apply. */
  keyId?: string | undefined
  /** Completion or run. A new attempt charges what a lost worker has spent. */
  subject?: string | undefined
  /** False if the work cannot wait for requests in progress that reserve the rest of the key’s budget. Default: true. */
  canWait?: boolean
}

/**
 * Does language work for an organisation and charges its tokens and its cost. Does not start if the month’s tokens were
 * spent while the work waited, so only concurrent work can exceed a plan. Reserves the maximum cost in the
 * organisation’s own budget, so this budget is never exceeded. The budget of a key is exceeded by less than one request.
 * If the work is interrupted (client gone, cancelled or timed out), its reservation ends and an estimate is charged.
 * Throws `Later` if the organisation uses its share of the engine. The model is `request.model`, or `default`.
 */
export async function runCharged<A extends EngineResult>(
  operation: LanguageOperation,
  orgId: string,
  means: ChargeMeans,
  work: (llm: LanguageEngine, signal: AbortSignal) => Promise<A>,
  request: object,
  { keyId, subject, canWait = true }: ChargeOptions = {},
): Promise<Outcome<A>> {
  const { db, own } = means
  const refuse = async (failure: Failure): Promise<Outcome<A>> => {
    observe(operation, { engine: 'none', outcome: failure.code, usage: nothing })
    await usage.add(db, orgId, { operation, outcome: failure.code, prompt_tokens: 0, completion_tokens: 0 })
    return { failure }
  }
  const standing = await usage.find(db, orgId)
  if (standing.tokens >= standing.budget) return await refuse(overBudget)
  return await runInSeat(means, orgId, async ({ llm }) => {
    const asked = askedModel(request)
    const models = llm.modelsFor?.(operation, asked) ?? []
    const about = { orgId, keyId, operation, subject, asked, models, request }
    const started = await own((tx) => startCharge(tx, about))
    if ('refusal' in started) {
      const failure = toFailure(started.refusal)
      if (!failure && canWait)
        throw new Later(reservedMs, 'requests in progress reserve the rest of the budget of the key')
      return await refuse(failure ?? reservedByOthers)
    }
    return await runStarted(started.charge, llm, work, means)
  })
}

/** Does the work of a charge, and ends the charge. */
async function runStarted<A extends EngineResult>(
  charge: Charge,
  llm: LanguageEngine,
  work: (llm: LanguageEngine, signal: AbortSignal) => Promise<A>,
  { db, signal, log }: ChargeMeans,
): Promise<Outcome<A>> {
  const { operation, request } = charge.work
  // Runs even if the attempt no longer owns its job, because the tokens are spent.
  const end = async (result: ChargedResult) => {
    observe(operation, result)
    await db.transaction((tx) => endCharge(tx, charge, result))
  }
  const begun = signal.aborted ? undefined : performance.now()
  let answer: A
  try {
    answer = await work(llm, signal)
  } catch (error) {
    if (error instanceof LanguageEngineError) {
      const usage = error.usage ?? (isSilent(error) ? estimateSpentUsage(request, 0) : nothing)
      await end({ outcome: error.code, engine: error.engine, usage })
      return { failure: failureOf(error) }
    }
    const spent = begun === undefined ? nothing : estimateSpentUsage(request, performance.now() - begun)
    await end({ outcome: 'broken_off', engine: 'none', usage: spent }).catch((err) =>
      log.warn({ err: describe(err) }, 'could not charge a request'),
    )
    throw error
  }
  await end({ outcome: 'done', engine: answer.engine, model: answer.model, usage: answer.usage })
  return { answer }
}

/** True if a server did not respond in time. It may have processed the input. */
const isSilent = ({ timedOut, upstreamStatus }: LanguageEngineError): boolean => timedOut && upstreamStatus === null

function observe(operation: string, { engine, outcome, usage: used }: Omit<ChargedResult, 'model'>): void {
  works.inc({ operation, engine, outcome })
  tokens.inc({ operation, kind: 'prompt' }, used.prompt_tokens)
  tokens.inc({ operation, kind: 'completion' }, used.completion_tokens)
}

function askedModel(request: object): string {
  const { model } = request as { model?: unknown }
  return typeof model === 'string' ? model : defaultModel
}

/** Returns the failure of a request that was not started, or undefined if the request can wait. */
function toFailure(refusal: KeyRefusal | { code: 'token_budget_exceeded' }): Failure | undefined {
  if (refusal.code === 'wait') return undefined
  const failure: Failure = { code: refusal.code, upstream_status: null, retryable: false }
  if (refusal.code !== 'key_budget_exceeded') return failure
  const seconds = Math.ceil((refusal.reached.resetsAt.getTime() - Date.now()) / 1000)
  return { ...failure, retry_after: Math.max(1, seconds) }
}

function failureOf(error: LanguageEngineError): Failure {
  const { code, upstreamStatus: upstream_status, retryable, retryAfter, requestFault } = error
  const reason = fallbackReason(error)
  return {
    code,
    upstream_status,
    retryable,
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
    ...(requestFault && { request_fault: requestFault }),
    ...(reason && { fallback_reason: reason }),
  }
}
