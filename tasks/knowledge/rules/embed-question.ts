import { describe } from '#lib/errors.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import type { ChargeMeans } from '../../ai/rules/seated.ts'
import { createVectors, getEmbeddingModel } from './vectors-of.ts'

/** Timeout in milliseconds for the vector of a question. Without the vector, the search uses only words. */
const patienceMs = 3_000

const longest = 4_000

/**
 * Returns the vector of a question for `find`. Undefined if no model exists, the model is not responding, or a
 * budget is exhausted.
 */
export async function embedQuestion(
  question: string,
  orgId: string,
  { llm, signal, db, own, log }: ChargeMeans,
  keyId?: string,
): Promise<Embedded | undefined> {
  const model = getEmbeddingModel(llm)
  if (model === undefined) return undefined
  try {
    const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    const texts = [question.slice(0, longest).toWellFormed()]
    const made = await createVectors(texts, orgId, { llm, signal: either, db, own, log }, keyId)
    if ('failure' in made)
      log.warn({ code: made.failure.code }, 'a question has no vector: the search uses only its words')
    const vector = 'vectors' in made ? made.vectors[0] : undefined
    return vector && { model, vector }
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'a question has no vector: the search uses only its words')
    return undefined
  }
}
