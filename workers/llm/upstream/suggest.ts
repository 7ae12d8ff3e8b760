import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { AnswerRequest, Citation, LanguageEngine } from '#tasks/ai/engine.ts'

/** Returns passages that may help if the model has no answer. The embedded engine selects them. */
export async function suggest(
  embedded: LanguageEngine,
  request: AnswerRequest,
  signal: AbortSignal,
): Promise<Citation[]> {
  try {
    const { answered, citations, suggestions } = await embedded.answer(request, signal)
    return answered ? citations : suggestions
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'an answer has no suggestions')
    return []
  }
}
