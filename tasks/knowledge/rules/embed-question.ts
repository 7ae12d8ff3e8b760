import { describe } from '#lib/errors.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import type { ChargeMeans } from '../../ai/rules/seated.ts'
import { mayBeEnglish } from './english.ts'
import { embedTexts, nameOfMeaning } from './meaning.ts'
import { createVectors, getUpstreamModel } from './vectors-of.ts'

/** Default timeout in milliseconds for the vector of a question. Without the vector, only words are compared. */
const defaultPatienceMs = 3_000

const longest = 4_000

/**
 * Returns the vector of a question for `find`. Undefined if no model exists, the model is not responding, a budget is
 * exhausted, or the only model is for English and the question is in another language. The embedded model costs no
 * tokens.
 */
export async function embedQuestion(
  question: string,
  orgId: string,
  { llm, signal, db, own, log }: ChargeMeans,
  { keyId, patienceMs = defaultPatienceMs }: { keyId?: string | undefined; patienceMs?: number | undefined } = {},
): Promise<Embedded | undefined> {
  const text = question.slice(0, longest).toWellFormed()
  const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const byUpstream = async (model: string) => {
    const made = await createVectors([text], orgId, { llm, signal: either, db, own, log }, keyId)
    if ('vectors' in made) return made.vectors[0] && { model, vector: made.vectors[0] }
    log.warn({ code: made.failure.code }, 'a question has no vector: only its words are compared')
    return undefined
  }
  const byMeaning = async () => {
    if (!llm.meaning || !(await mayBeEnglish(text, either))) return undefined
    const [vector] = await embedTexts(llm.meaning, 'question', [text], either)
    return vector && { model: nameOfMeaning(llm.meaning), vector }
  }
  const model = getUpstreamModel(llm)
  try {
    return await (model === undefined ? byMeaning() : byUpstream(model))
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'a question has no vector: only its words are compared')
    return undefined
  }
}
