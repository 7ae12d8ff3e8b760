import type { Logger } from 'pino'
import { describe } from '#lib/errors.ts'
import type { Embedded } from '#sql/knowledge/vectors.ts'
import type { Embedder } from '../engine.ts'

/** Milliseconds that a question's vector is waited for: without it, passages are found by words. */
const patienceMs = 3_000

/** Characters of a question that a model is given. */
const longest = 4_000

/** What the model makes of a question, to be given to `find`; undefined where there is no model, or it does not answer. */
export async function embedQuestion(
  question: string,
  orgId: string,
  { embedder, signal, log }: { embedder?: Embedder | undefined; signal: AbortSignal; log: Logger },
): Promise<Embedded | undefined> {
  if (!embedder) return undefined
  try {
    // An answer that comes in drops is never silent for so long.
    const either = AbortSignal.any([signal, AbortSignal.timeout(2 * patienceMs)])
    const vectors = await embedder.embed([question.slice(0, longest).toWellFormed()], orgId, either, patienceMs)
    const vector = vectors?.[0]
    return vector && { model: embedder.model, vector }
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'a question has no vector: passages are found by its words')
    return undefined
  }
}
