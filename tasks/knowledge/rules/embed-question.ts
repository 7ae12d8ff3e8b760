import { describe } from '#lib/errors.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import type { ChargeMeans } from '../../ai/rules/seated.ts'
import { modelOf, vectorsOf } from './vectors-of.ts'

/** Milliseconds that a question's vector is waited for: without it, passages are found by words. */
const patienceMs = 3_000

/** Characters of a question that a model is given. */
const longest = 4_000

/**
 * What the model makes of a question, to be given to `find`; undefined where there is no model, it does not answer, or the
 * organisation's tokens are spent.
 */
export async function embedQuestion(
  question: string,
  orgId: string,
  { llm, signal, db, own, log }: ChargeMeans,
): Promise<Embedded | undefined> {
  const model = modelOf(llm)
  if (model === undefined) return undefined
  try {
    const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
    const texts = [question.slice(0, longest).toWellFormed()]
    const made = await vectorsOf(texts, orgId, { llm, signal: either, db, own, log })
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
