import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { AnswerRequest, MeaningModel, NearSentence } from '#tasks/ai/engine.ts'
import { mayBeEnglish } from '#tasks/knowledge/rules/english.ts'
import { embedTexts } from '#tasks/knowledge/rules/meaning.ts'
import type { CandidateSentence } from './candidates.ts'

/** Timeout in milliseconds for the vectors of a request. Without them, the answer compares only words. */
const patienceMs = 10_000

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
  const either = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    const [asked] = await embedTexts(meaning, 'question', [question.toWellFormed()], either)
    const vectors = await embedTexts(
      meaning,
      'statement',
      sentences.map(({ read }) => read),
      either,
    )
    return sentences
      .map(({ read: _, ...place }, i) => ({ ...place, likeness: product(asked, vectors[i]) }))
      .sort((one, other) => other.likeness - one.likeness)
  } catch (error) {
    signal.throwIfAborted()
    log.warn({ err: describe(error) }, 'a question has no vector: the answer uses only its words')
    return undefined
  }
}

const product = (one: Float32Array = new Float32Array(), other: Float32Array = new Float32Array()): number =>
  one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
