import { listTerms } from '#lib/terms.ts'
import type { Ranking, RerankRequest } from '#tasks/ai/rules/rerank-result.ts'
import { createBm25 } from './bm25.ts'
import { getEngineResult } from './worked.ts'

/** Share of the score from the number of the query's terms in a document. The rest is from their weight. */
const coverageShare = 0.5

/**
 * Orders documents by the terms that they share with the query. A score is from 0 to 1. A document with all terms of
 * the query and the highest weight has 1.
 */
export function rerank({ query, documents, topN }: RerankRequest): Ranking {
  const asked = new Set(listTerms(query))
  const terms = documents.map(listTerms)
  const weights = createBm25(terms).score(asked)
  const highest = weights.reduce((most, weight) => Math.max(most, weight), 0)
  const results = terms
    .map((own, index) => {
      const found = new Set(own.filter((term) => asked.has(term))).size
      const coverage = asked.size === 0 ? 0 : found / asked.size
      const weight = highest === 0 ? 0 : (weights[index] ?? 0) / highest
      return { index, score: coverageShare * coverage + (1 - coverageShare) * weight * coverage }
    })
    .sort((one, other) => other.score - one.score || one.index - other.index)
    .slice(0, topN)
  return { ...getEngineResult([query, ...documents], ''), results }
}
