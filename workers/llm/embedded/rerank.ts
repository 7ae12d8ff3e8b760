import { listTerms } from '#lib/terms.ts'
import { embeddedModel } from '#tasks/ai/rules/embedded-model.ts'
import type { Ranking, RerankRequest } from '#tasks/ai/rules/rerank-result.ts'
import { createBm25 } from './bm25.ts'
import { getEngineResult } from './worked.ts'

/** Share of the score from the number of the query's terms in a document. The rest is from their weight. */
const coverageShare = 0.5

/**
 * Minimum share of the query's terms in a document whose meaning is compared too. With fewer, a stray shared word would
 * outweigh the meaning.
 */
const leastCoverage = 0.5

export interface EmbeddedRerankRequest extends RerankRequest {
  /** Likeness of the query and each document, from -1 to 1. Undefined if only words are compared. */
  likeness?: readonly (number | null)[] | undefined
}

/**
 * Orders documents by the terms that they share with the query, and by their meaning. A score is from 0 to 1: the better
 * of the two ways. A document with all terms of the query and the highest weight has 1.
 */
export function rerank({ query, documents, topN, likeness = [] }: EmbeddedRerankRequest): Ranking {
  const asked = new Set(listTerms(query))
  const terms = documents.map(listTerms)
  const weights = createBm25(terms).score(asked)
  const highest = weights.reduce((most, weight) => Math.max(most, weight), 0)
  const results = terms
    .map((own, index) => {
      const found = new Set(own.filter((term) => asked.has(term))).size
      const coverage = asked.size === 0 ? 0 : found / asked.size
      const weight = highest === 0 ? 0 : (weights[index] ?? 0) / highest
      const words = coverageShare * coverage + (1 - coverageShare) * weight * coverage
      const meaning = likeness[index] ?? null
      const counted = meaning !== null && coverage < leastCoverage ? 0 : words
      return { index, words, score: Math.min(1, Math.max(counted, meaning ?? 0)) }
    })
    .sort((one, other) => other.score - one.score || other.words - one.words || one.index - other.index)
    .slice(0, topN)
    .map(({ index, score }) => ({ index, score }))
  const result = getEngineResult([query, ...documents], '')
  return { ...result, ...(likeness.length > 0 && { model: embeddedModel.name }), results }
}
