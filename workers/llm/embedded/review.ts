import { detectLanguages } from '#lib/language/detect.ts'
import { splitSentences } from '#lib/sentences.ts'
import type { MeaningModel, ModerationReview } from '#tasks/ai/engine.ts'
import { dot } from '../meaning/dot.ts'
import { tryMeaning } from '../meaning/try-meaning.ts'
import { samples } from './review-samples.ts'

/** Number of UTF-16 units of a text, and number of sentences of a request, that are rated. A sentence takes 10 ms. */
const [readLength, mostSentences] = [20_000, 200]

/** Number of UTF-16 units of a sentence that count. */
const longestSentence = 300

/** Time in milliseconds for the rating of a request. Without it, the result has no rating. */
const defaultPatienceMs = 15_000

/** Number of samples of each kind that count, the nearest ones. */
const nearest = 5

/** Conversion of the difference between both kinds to a score. At `middle`, the score is 0.5 (measured). */
const scale = { middle: 0.02, slope: 25 }

/** Returns the ratings of texts. Returns none if the model fails or takes too long. */
export type Review = (input: readonly string[], signal: AbortSignal) => Promise<ModerationReview[]>

interface Known {
  harmful: Float32Array[]
  harmless: Float32Array[]
}

/** Creates the rating of texts for a review queue. The sentence that most resembles harmful samples counts. */
export function createReview(meaning: MeaningModel, patienceMs = defaultPatienceMs): Review {
  let known: Known | undefined

  const load = async (signal: AbortSignal): Promise<Known> => {
    known ??= {
      harmful: await meaning.embed(samples.harmful, signal),
      harmless: await meaning.embed(samples.harmless, signal),
    }
    return known
  }

  return async (input, signal) => {
    const languages = await detectLanguages(input, signal)
    const most = Math.max(1, Math.floor(mostSentences / input.length))
    const sentences = input.map((text, i) => {
      const language = languages[i] ?? null
      return language === null || language === meaning.language ? listSentences(text, most) : []
    })
    const rated = sentences.flat()
    const embed = async (either: AbortSignal) => ({
      ...(rated.length > 0 ? await load(either) : { harmful: [], harmless: [] }),
      vectors: await meaning.embed(rated, either),
    })
    const made = await tryMeaning(embed, patienceMs, signal)
    if (!made) return []
    const { harmful, harmless, vectors } = made
    return sentences.map((own, i) => {
      const scores = vectors
        .splice(0, own.length)
        .map((vector) => toScore(near(vector, harmful) - near(vector, harmless)))
      const score = scores.length > 0 ? Math.max(...scores) : null
      return { score, model: meaning.name, language: languages[i] ?? null }
    })
  }
}

const listSentences = (text: string, most: number): string[] =>
  splitSentences(text.slice(0, readLength))
    .slice(0, most)
    .map((sentence) => sentence.text.slice(0, longestSentence))

/** Returns the mean similarity to the nearest samples. */
function near(vector: Float32Array, of: readonly Float32Array[]): number {
  const first = of
    .map((sample) => dot(vector, sample))
    .sort((one, other) => other - one)
    .slice(0, nearest)
  return first.reduce((sum, each) => sum + each, 0) / nearest
}

const toScore = (difference: number): number =>
  Math.round(1e4 / (1 + Math.exp(-scale.slope * (difference - scale.middle)))) / 1e4
