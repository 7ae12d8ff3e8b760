import type { EngineResult } from './engine-result.ts'

export interface RerankRequest {
  model: string
  query: string
  documents: readonly string[]
  /** Number of documents to return. */
  topN: number
}

export interface RankedDocument {
  /** Position in `documents`. */
  index: number
  score: number
}

/** The most relevant documents, best first. */
export interface Ranking extends EngineResult {
  results: RankedDocument[]
}
