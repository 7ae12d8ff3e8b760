import type { AnswerRequest, MeaningModel, NearSentence } from '#tasks/ai/engine.ts'
import { mayBeEnglish } from '#tasks/knowledge/rules/english.ts'
import { embedTexts } from '#tasks/knowledge/rules/meaning.ts'
import { tryMeaning } from '../meaning/try-meaning.ts'
import type { CandidateSentence } from './candidates.ts'

/** Timeout in milliseconds for the vectors of a request. Without them, the answer compares only words. */
const patienceMs = 20_000

export type ListCandidates = (
  request: Pick<AnswerRequest, 'question' | 'documents'>,
  signal: AbortSignal,
) => Promise<CandidateSentence[]>

/**
 * Compares a question with sentences of documents by their meaning. Returns them nearest first. Returns undefined if
 * the question or the documents are not English, or the model is not responding.
 */
export async function findNear(
  meaning: MeaningModel | undefined,
  { question, documents }: Pick<AnswerRequest, 'question' | 'documents'>,
  listCandidates: ListCandidates,
  signal: AbortSignal,
): Promise<NearSentence[] | undefined> {
  if (!meaning || documents.length === 0 || !(await mayBeEnglish(question, signal))) return undefined
  const sentences = await listCandidates({ question, documents }, signal)
  if (sentences.length === 0) return undefined
  const compare = async (either: AbortSignal) => {
    const [asked] = await embedTexts(meaning, 'question', [question.toWellFormed()], either)
    const vectors = await embedSentences(
      meaning,
      sentences.map(({ read }) => read),
      either,
    )
    return sentences
      .map(({ read, ...place }) => ({ ...place, likeness: product(asked, vectors.get(read)) }))
      .sort((one, other) => other.likeness - one.likeness)
  }
  return await tryMeaning(compare, patienceMs, signal)
}

/** Maximum number of remembered vectors. They use 4 MB. Several questions often have the same documents. */
const remembered = 2_000

const known = new WeakMap<MeaningModel, Map<string, Float32Array>>()

/** Returns the vectors by sentence. Remembers them. */
async function embedSentences(
  meaning: MeaningModel,
  sentences: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Float32Array>> {
  const memory = known.get(meaning) ?? new Map<string, Float32Array>()
  known.set(meaning, memory)
  const found = new Map<string, Float32Array>()
  for (const sentence of sentences) {
    const vector = memory.get(sentence)
    if (vector) found.set(sentence, vector)
  }
  const missing = [...new Set(sentences)].filter((sentence) => !found.has(sentence))
  const vectors = await embedTexts(meaning, 'statement', missing, signal)
  for (const [i, sentence] of missing.entries()) {
    const vector = vectors[i] as Float32Array
    found.set(sentence, vector)
    memory.set(sentence, vector)
  }
  for (const [oldest] of [...memory].slice(0, Math.max(0, memory.size - remembered))) memory.delete(oldest)
  return found
}

const product = (one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
