import { availableParallelism } from 'node:os'
import { defaultModel } from '#lib/config/ai-upstreams.ts'
import { detectLanguage } from '#lib/language/detect.ts'
import { ThreadLimitError, threadPool } from '#lib/threads.ts'
import { type ClassifyRequest, type LanguageEngine, LanguageEngineError } from '#tasks/ai/engine.ts'
import { type ClosableMeaningModel, createMeaningModel } from '../meaning/model.ts'
import { classifyByMeaning } from './classify-by-meaning.ts'
import { findLikeness } from './likeness.ts'
import { findNear, type ListCandidates } from './near.ts'
import { createReview } from './review.ts'
import { getActionAnswer } from './said-by-action.ts'
import type { Piece, WorkResult, work } from './works.ts'

/** Analysing the largest text takes about a second (measured). A much longer time indicates a bug. */
const limits = { threads: Math.min(4, Math.max(1, availableParallelism() - 1)), seconds: 30, megabytes: 256 }

/**
 * Creates the embedded engine, which only quotes its documents. It compares words, and with `hasMeaning` also the
 * meaning of English sentences.
 */
export function createEmbeddedEngine(hasMeaning = true, model?: ClosableMeaningModel): LanguageEngine {
  const meaning = hasMeaning ? (model ?? createMeaningModel()) : undefined
  const review = meaning && createReview(meaning)
  const threads = threadPool<typeof work>(new URL('./works.ts', import.meta.url), limits)

  async function done<Name extends Piece['name']>(
    piece: Piece & { name: Name },
    signal: AbortSignal,
  ): Promise<WorkResult<Name>> {
    try {
      return (await threads.run(piece, signal)) as WorkResult<Name>
    } catch (error) {
      signal.throwIfAborted()
      throw Object.assign(failed(error), { cause: error })
    }
  }

  return {
    async chat({ actions, ...request }, signal, onDelta) {
      const said = actions && (await getActionAnswer(request, actions))
      const reply = said ?? (await done({ name: 'chat', request }, signal))
      if (reply.content !== '') onDelta?.(reply.content)
      return reply
    },
    async answer(request, signal) {
      const list: ListCandidates = (given, signal) => done({ name: 'candidates', request: given }, signal)
      const near = await findNear(meaning, request, list, signal)
      const found = await done({ name: 'answer', request: { ...request, near } }, signal)
      return { ...found, question_language: await detectLanguage(request.question, signal) }
    },
    summarize: (request, signal) => done({ name: 'summarize', request }, signal),
    async classify(request, signal) {
      const byWords = (words: ClassifyRequest) => done({ name: 'classify', request: words }, signal)
      return meaning ? await classifyByMeaning(request, meaning, byWords, signal) : await byWords(request)
    },
    async moderate(request, signal) {
      const found = await done({ name: 'moderate', request }, signal)
      if (!review) return found
      const reviews = await review(request, signal)
      return { ...found, results: found.results.map((result, i) => ({ ...result, review: reviews[i] })) }
    },
    async rerank(request, signal) {
      if (request.model !== defaultModel) throw noSuchModel()
      const list: ListCandidates = (given, signal) =>
        done({ name: 'candidates', request: { ...given, areEnglish: true } }, signal)
      const likeness = await findLikeness(meaning, request, list, signal)
      return await done({ name: 'rerank', request: { ...request, likeness } }, signal)
    },
    meaning,
    async close() {
      await Promise.all([threads.close(), meaning?.close()])
    },
  }
}

const noSuchModel = () =>
  new LanguageEngineError('upstream_error', 'No upstream server has this model.', {
    engine: 'embedded',
    requestFault: { kind: 'model_not_found' },
  })

function failed(error: unknown): LanguageEngineError {
  const why = error instanceof ThreadLimitError ? error.message : 'It failed.'
  return new LanguageEngineError('upstream_error', `The embedded engine failed: ${why}`, {
    retryable: true,
    engine: 'embedded',
  })
}
