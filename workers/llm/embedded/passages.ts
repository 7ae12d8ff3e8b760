import { type Sentence, splitSentences } from '#lib/sentences.ts'
import { listTerms } from '#lib/terms.ts'
import type { Citation, SourceDocument } from '#tasks/ai/engine.ts'
import { type Bm25, createBm25 } from './bm25.ts'

export interface AnswerPassages {
  coverage: number
  citations: Citation[]
}

const mostSentences = 3
const nearlyAsGood = 0.6
/** Weight of a document's title for each of its sentences. */
const titleWeight = 0.5

interface Passage extends Sentence {
  document: SourceDocument
  terms: string[]
  titleTerms: ReadonlySet<string>
}

export interface AnswerRequirement {
  /** Minimum share of the question's terms, from 0 to 1. */
  floor: number
  /** True if the sentence contains the names and numbers of the question. */
  answers?: (citation: Citation) => boolean
}

/** Returns the sentences that answer a question best, in document order, or `null` if there are none. */
export function findPassages(
  question: string,
  documents: readonly SourceDocument[],
  { floor, answers = () => true }: AnswerRequirement,
): AnswerPassages | null {
  const asked = new Set(listTerms(question))
  if (asked.size === 0) return null
  const passages = documents.flatMap((document): Passage[] => {
    const titleTerms = new Set(listTerms(document.title ?? ''))
    return splitSentences(document.text).map((sentence) => ({
      ...sentence,
      document,
      terms: listTerms(sentence.text),
      titleTerms,
    }))
  })
  const index = createBm25(passages.map(({ terms }) => terms))
  const scores = index.score(asked)
  const ranked = passages
    .map((passage, order) => ({ passage, order, ...scorePassage(passage, asked, scores[order] ?? 0, index) }))
    .filter(({ passage, score, coverage }) => score > 0 && coverage >= floor && answers(citationOf(passage)))
    .sort((one, other) => other.score - one.score || one.order - other.order)
  const best = ranked[0]
  if (!best) return null
  const chosen = ranked.slice(0, mostSentences).filter(({ score }) => score >= best.score * nearlyAsGood)
  return {
    coverage: Math.round(best.coverage * 100) / 100,
    citations: chosen.sort((one, other) => one.order - other.order).map(({ passage }) => citationOf(passage)),
  }
}

function scorePassage(passage: Passage, asked: ReadonlySet<string>, score: number, index: Bm25) {
  const own = new Set(passage.terms)
  let covered = 0
  let title = 0
  for (const term of asked) {
    if (own.has(term)) covered++
    else if (passage.titleTerms.has(term)) {
      covered += titleWeight
      title += titleWeight / (1 + index.frequency(term))
    }
  }
  const coverage = covered / asked.size
  return { coverage, score: (score + title) * (0.5 + coverage) }
}

export const citationOf = ({
  document,
  text,
  start,
  end,
}: Pick<Passage, 'document' | 'text' | 'start' | 'end'>): Citation => ({
  document_id: document.id,
  title: document.title ?? null,
  url: document.url ?? null,
  quote: text,
  start,
  end,
})
