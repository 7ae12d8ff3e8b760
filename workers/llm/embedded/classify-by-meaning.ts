import { detectLanguages } from '#lib/language/detect.ts'
import type { Classification, Classifications, ClassifyRequest, Label, MeaningModel } from '#tasks/ai/engine.ts'
import { dot } from '../meaning/dot.ts'
import { tryMeaning } from '../meaning/try-meaning.ts'
import { rankLabels } from './rank-labels.ts'

/** Measured: unrelated texts stay below 0.3 for most labels. Texts that fit are mostly above it. */
const scale = { floor: 0.2, middle: 0.45, tie: 0.04 }

/** Sentences of no label. A text that clearly resembles one of them more than the best label has no label. */
const unlabelled = [
  ...['Hello there', 'Good morning', 'Thank you very much', 'ok', 'Yes', 'Goodbye', 'I have a question'],
  ...['He went to the city last year', 'She read a book about history'],
]

/** Number of UTF-16 units that count: of each text, and of all texts. The model reads about 4,000 per second. */
const read = { text: 2_000, texts: 32_000 }

/** Number of UTF-16 units that count: of each sample, and of all samples. */
const readSamples = { least: 80, most: 500, all: 24_000 }

/** Maximum number of samples. A short sample takes about 10 ms. */
const mostSamples = 300

/** Time in milliseconds for the vectors of a request. Without them, words decide. */
const defaultPatienceMs = 20_000

/**
 * Labels the English texts of a request by the meaning of each label’s name, description and examples. `byWords` labels
 * the other texts, and all texts if the labels are not English or the model fails.
 */
export async function classifyByMeaning(
  request: ClassifyRequest,
  meaning: MeaningModel,
  byWords: (request: ClassifyRequest) => Promise<Classifications>,
  signal: AbortSignal,
  patienceMs = defaultPatienceMs,
): Promise<Classifications> {
  const { input, labels } = request
  const about = labels.map(({ name, description = '', examples = [] }) => [name, description, ...examples].join('. '))
  const [ofLabels = null, ...languages] = await detectLanguages([about.join('. '), ...input], signal)
  const isEnglish = (language: string | null | undefined) => language === null || language === meaning.language
  const places = isEnglish(ofLabels) ? input.flatMap((_, i) => (isEnglish(languages[i]) ? [i] : [])) : []
  const words = await byWords(request)
  const results = words.results.map((result, i): Classification => ({ ...result, language: languages[i] ?? null }))
  if (places.length === 0) return { ...words, results }
  const samples = listSamples(labels)
  const length = Math.min(read.text, Math.floor(read.texts / places.length))
  const texts = places.map((i) => (input[i] ?? '').slice(0, length))
  const wanted = [...samples.flat(), ...unlabelled, ...texts]
  const vectors = await tryMeaning((either) => meaning.embed(wanted, either), patienceMs, signal)
  if (!vectors) return { ...words, results }
  const known = samples.map((of) => vectors.splice(0, of.length))
  const none = vectors.splice(0, unlabelled.length)
  for (const [n, i] of places.entries()) {
    const vector = vectors[n] as Float32Array
    const likeness = known.map((of) => likenessTo(vector, of))
    const floor = Math.max(scale.floor, ...none.map((sample) => dot(vector, sample) - scale.tie))
    const ranked = rankLabels(request, likeness, { ...scale, floor })
    results[i] = { ...ranked, language: languages[i] ?? null, method: 'meaning' }
  }
  return { ...words, model: meaning.name, results }
}

/** Returns the mean of the two most similar samples, so that one chance similarity counts less. */
function likenessTo(vector: Float32Array, samples: readonly Float32Array[]): number {
  const [best = 0, second = best] = samples.map((sample) => dot(vector, sample)).sort((one, other) => other - one)
  return (best + second) / 2
}

/** Returns the samples of each label. If there are many, omits parts of descriptions, and then the last examples. */
function listSamples(labels: readonly Label[]): string[][] {
  const whole = labels.map(({ name, description = '', examples = [] }) =>
    [name.replace(/[_-]+/g, ' '), description, ...examples].filter((sample) => sample.trim() !== ''),
  )
  const withParts = labels.map(({ description = '' }, i) => [...(whole[i] ?? []), ...listParts(description)])
  const chosen = withParts.flat().length <= mostSamples ? withParts : whole
  const most = Math.floor(mostSamples / labels.length)
  const first = chosen.flat().length <= mostSamples ? chosen : chosen.map((of) => of.slice(0, most))
  const share = Math.floor(readSamples.all / first.flat().length)
  const length = Math.max(readSamples.least, Math.min(readSamples.most, share))
  return first.map((of) => of.map((sample) => sample.slice(0, length)))
}

/** Returns the parts of an enumeration. For example, "invoices" and "charges" of "Invoices and charges". */
function listParts(description: string): string[] {
  const parts = description.split(/[,;.:()]| and | or /u).map((part) => part.trim())
  return parts.length > 1 ? parts.filter((part) => /\p{L}/u.test(part)) : []
}
