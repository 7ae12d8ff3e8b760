import { detectLanguages } from '#lib/language/detect.ts'
import type { MeaningModel } from '#tasks/ai/engine.ts'
import type { RerankRequest } from '#tasks/ai/rules/rerank-result.ts'
import { isEnglish } from '#tasks/knowledge/rules/english.ts'
import { findNear, type ListCandidates } from './near.ts'

/**
 * Returns the likeness of a query and the nearest sentence of each document, from -1 to 1, by position in `documents`.
 * `null` for a document that is not English, or whose sentences were not compared. Undefined if the query is not
 * English, or the model is not responding.
 */
export async function findLikeness(
  meaning: MeaningModel | undefined,
  { query, documents }: Pick<RerankRequest, 'query' | 'documents'>,
  listCandidates: ListCandidates,
  signal: AbortSignal,
): Promise<(number | null)[] | undefined> {
  if (!meaning) return undefined
  const languages = await detectLanguages(documents, signal)
  const english = documents.flatMap((text, i) =>
    isEnglish(languages[i] ?? null, text) ? [{ id: String(i), text }] : [],
  )
  const near = await findNear(meaning, { question: query, documents: english }, listCandidates, signal)
  if (!near) return undefined
  const found = documents.map((): number | null => null)
  // The sentences are nearest first.
  for (const { document_id, likeness } of near) found[Number(document_id)] ??= likeness
  return found
}
