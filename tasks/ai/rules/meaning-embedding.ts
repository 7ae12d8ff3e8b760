import type { LanguageEngine } from '../engine.ts'
import type { Gateway } from './gateway.ts'

/** Number of texts after which vectors are cached. */
const atOnce = 64

/** Four characters count as one token, as for the embedded engine. */
const charactersPerToken = 4

/** Creates the embedding function of the model inside the worker. It accepts text only. */
export function createMeaningEmbedding(meaning: NonNullable<LanguageEngine['meaning']>): Gateway['embed'] {
  return async ({ input }, signal, keep) => {
    const texts = input.filter((one) => typeof one === 'string')
    for (let from = 0; from < texts.length; from += atOnce)
      await keep(await meaning.embed(texts.slice(from, from + atOnce), signal), from, meaning.name)
    const prompt_tokens = texts.reduce((sum, { length }) => sum + Math.ceil(length / charactersPerToken), 0)
    const usage = { prompt_tokens, completion_tokens: 0, total_tokens: prompt_tokens }
    return { engine: 'embedded', model: meaning.name, usage }
  }
}
