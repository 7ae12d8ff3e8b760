import type { MeaningModel } from '../../ai/engine.ts'
import { typicalTexts } from './typical-texts.ts'

type Kind = keyof typeof typicalTexts

type Centres = Record<Kind, Float32Array>

/** Name of the model in stored vectors. A change of how vectors are made needs a new version. */
export const nameOfMeaning = ({ name }: Pick<MeaningModel, 'name'>): string => `${name}/sentences-1`

const centresOf = new WeakMap<MeaningModel, Promise<Centres>>()

/** Timeout in milliseconds for the vectors of the typical texts, including the start of the model. */
const centresMs = 30_000

/**
 * Returns vectors of questions or statements, in the order of the texts. A question and the statement that answers it
 * have a high dot product.
 */
export async function embedTexts(
  meaning: MeaningModel,
  kind: Kind,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<Float32Array[]> {
  if (texts.length === 0) return []
  const centres = await beforeAbort(findCentres(meaning), signal)
  const vectors = await embedLowerCase(meaning, texts, signal)
  return vectors.map((vector) => subtract(vector, centres[kind]))
}

// The model distinguishes "Refund" and "refund", although the difference has no meaning for a search (measured).
const embedLowerCase = (meaning: MeaningModel, texts: readonly string[], signal: AbortSignal) =>
  meaning.embed(
    texts.map((text) => text.toLowerCase()),
    signal,
  )

function findCentres(meaning: MeaningModel): Promise<Centres> {
  const known = centresOf.get(meaning)
  if (known !== undefined) return known
  const making = makeCentres(meaning)
  centresOf.set(meaning, making)
  making.catch(() => centresOf.delete(meaning))
  return making
}

async function makeCentres(meaning: MeaningModel): Promise<Centres> {
  const { question, statement } = typicalTexts
  const vectors = await embedLowerCase(meaning, [...question, ...statement], AbortSignal.timeout(centresMs))
  return { question: meanOf(vectors.slice(0, question.length)), statement: meanOf(vectors.slice(question.length)) }
}

function meanOf(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) for (const [i, value] of vector.entries()) sum[i] = (sum[i] ?? 0) + value
  return sum.map((value) => value / vectors.length)
}

/** Returns the difference as a unit vector. */
function subtract(vector: Float32Array, centre: Float32Array): Float32Array {
  const difference = vector.map((value, i) => value - (centre[i] ?? 0))
  const length = Math.hypot(...difference) || 1
  return difference.map((value) => value / length)
}

/** Returns the result, or rejects with the signal’s reason as soon as it is aborted. */
async function beforeAbort<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
