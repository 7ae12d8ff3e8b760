import { z } from 'zod'
import { type FallbackModel, findFallbacks, parseFallbacks, readFallbacks } from '#lib/config/ai-fallbacks.ts'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import * as charges from '#sql/ai/charges.ts'
import * as completions from '#sql/ai/completions.ts'
import * as usage from '#sql/ai/usage.ts'
import type { DatabasePool } from '#sql/db.ts'
import { task } from '../queue/task.ts'
import { type EngineResult, type LanguageEngine, LanguageEngineError } from './engine.ts'
import { chargeLost } from './rules/charge.ts'
import { type Failure, type Outcome, runCharged } from './rules/charged.ts'
import type { CompletionRequest } from './rules/gateway.ts'
import { type AnswerWriter, createPieceWriter } from './rules/piece-writer.ts'
import { completionTimeoutMs } from './rules/request.ts'
import { runInSeat } from './rules/seated.ts'
import { defaultMaxTokens } from './rules/spend-estimate.ts'
import { tryModels } from './rules/try-models.ts'
import { removeBinaryParts } from './rules/without-bytes.ts'

const charactersPerPiece = 250

/**
 * Failure of an answer whose worker was lost. Text that was already sent cannot be withdrawn and must not be sent
 * twice.
 */
const brokenOff: Failure = { code: 'upstream_error', upstream_status: null, retryable: true }

/**
 * Passes a completion to a model. All attempts together write one answer: if an attempt finds text of an earlier
 * attempt, it ends the answer after this text.
 */
export const complete = task({
  name: 'ai/complete',
  pool: 'llm',
  payload: z.object({ completionId: Id }),
  attempts: 2,
  timeout: completionTimeoutMs,
  tracked: true,
  async run({ completionId }, tools) {
    const { db } = tools
    const begun = await completions.begin(db, completionId)
    if (begun === null) return
    if (begun.told > 0) return await endLost(db, begun)
    const request: CompletionRequest = JSON.parse(begun.request)
    const left = new AbortController()
    const writer = createPieceWriter(db, begun, () => left.abort())
    const given = {
      db,
      signal: AbortSignal.any([tools.signal, left.signal]),
      own: tools.own,
      log: tools.log,
      llm: tools.llm,
    }
    const fallbacks = fallbacksOf(begun, request)
    let outcome: Outcome<EngineResult>
    let answered = request.model
    try {
      outcome = await runInSeat(given, begun.org_id, (means) =>
        tryModels(
          request.model,
          fallbacks,
          async (model, rest) => {
            const wanted = { ...request, model }
            const work = (llm: LanguageEngine, signal: AbortSignal) =>
              pass(llm, wanted, { ...begun, rest }, writer, signal)
            const asked = { ...removeBinaryParts(wanted), maxTokens: getMaxOutputTokens(request) }
            const about = { keyId: begun.key_id ?? undefined, subject: begun.id, canWait: rest === fallbacks }
            const ended = await runCharged('completion', begun.org_id, means, work, asked, about)
            if ('answer' in ended) answered = model
            return ended
          },
          () => writer.hasBegun,
        ),
      )
    } catch (error) {
      // No request waits for the answer any longer. Its cost is still charged.
      if (left.signal.aborted) return
      throw error
    } finally {
      await writer.stop()
    }
    await db.transaction(async (tx) => {
      if ('answer' in outcome) await completions.complete(tx, begun, answered)
      else await completions.fail(tx, begun, outcome.failure)
    })
  },
  async giveUp({ completionId }, _error, { db }) {
    await completions.fail(db, { id: completionId }, brokenOff)
  },
})

async function endLost(db: DatabasePool, begun: completions.StartedCompletion): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await completions.fail(tx, begun, brokenOff))) return
    const lost = await charges.takeEarlier(tx, begun.id)
    const likely = likelyCost(begun)
    for (const charge of lost) await chargeLost(tx, charge, likely)
    if (lost.length === 0) await usage.add(tx, begun.org_id, likely)
  })
}

function fallbacksOf(begun: completions.StartedCompletion, { model }: CompletionRequest): FallbackModel[] {
  return readFallbacks(begun.fallbacks ?? findFallbacks(parseFallbacks(config.AI_FALLBACKS), model) ?? [])
}

interface Passing {
  streamed: boolean
  api: completions.Completion['api']
  /** Models that are tried if this one fails. */
  rest: readonly FallbackModel[]
}

async function pass(
  { gateway }: LanguageEngine,
  request: CompletionRequest,
  { streamed, api, rest }: Passing,
  writer: AnswerWriter,
  signal: AbortSignal,
): Promise<EngineResult> {
  if (!gateway) throw new LanguageEngineError('provider_not_configured', 'No model is connected.')
  if (streamed) {
    const answer = await gateway.stream(request, api, signal, (piece) => writer.add(eventOf(api, piece)))
    await writer.end()
    return answer
  }
  const { completion, ...answer } = await gateway.complete(request, api, signal)
  if (isFiltered(completion) && rest.some(({ on }) => on.includes('content_filter'))) {
    const facts = { upstreamStatus: 200, usage: answer.usage }
    throw new LanguageEngineError('content_refused', 'The upstream model refused.', facts)
  }
  await writer.whole(JSON.stringify(completion))
  return answer
}

/** True if a filter has stopped the whole answer, in any of the APIs. */
function isFiltered({ choices, incomplete_details, stop_reason }: Record<string, unknown>): boolean {
  if (Array.isArray(choices)) return choices.every((choice) => choice?.finish_reason === 'content_filter')
  const { reason } = (incomplete_details ?? {}) as { reason?: unknown }
  return reason === 'content_filter' || stop_reason === 'refusal'
}

/** Returns a server-sent event. Events of chat completions have no name. */
function eventOf(api: completions.Completion['api'], piece: Record<string, unknown>): string {
  const data = `data: ${JSON.stringify(piece)}\n\n`
  return api === 'chat' ? data : `event: ${piece.type}\n${data}`
}

function getMaxOutputTokens({ max_completion_tokens, max_output_tokens, max_tokens, n }: CompletionRequest): number {
  const most = max_completion_tokens ?? max_output_tokens ?? max_tokens
  return (typeof most === 'number' ? most : defaultMaxTokens) * (typeof n === 'number' ? n : 1)
}

const likelyCost = ({ request, told }: completions.StartedCompletion) => ({
  operation: 'completion',
  outcome: 'broken_off',
  prompt_tokens: Math.ceil(JSON.stringify(removeBinaryParts(JSON.parse(request))).length / 4),
  completion_tokens: Math.ceil(told / charactersPerPiece),
})
