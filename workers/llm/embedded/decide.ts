import { listTerms } from '#lib/terms.ts'
import type { Citation, NearSentence, SourceDocument } from '#tasks/ai/engine.ts'
import { findUnansweredTerm } from '../evidence/borne-out.ts'
import { citationOf, findPassages } from './passages.ts'

/** Result of a search for sentences that answer a question. */
export interface Decision {
  /** False if the sentences only may help. */
  answered: boolean
  citations: Citation[]
  /** Share of the question’s terms that the best sentence contains, from 0 to 1. `null` if found by meaning only. */
  coverage: number | null
  /** Likeness of the question and the nearest sentence. `null` if their meaning was not compared. */
  score: number | null
}

/**
 * Minimum likeness of a sentence that answers a question, and of a sentence that may help. Measured with 40 paraphrased
 * and 40 unanswerable questions.
 */
const [answering, helping] = [0.45, 0.35]

/** Minimum likeness of a sentence that answers a question although it has only some of its words. */
const clearly = 0.6

/** Minimum likeness of further quotes, as a share of the best. */
const nearlyAsNear = 0.85

const mostCitations = 3

export interface Shares {
  /** Minimum share of the question’s terms that a sentence must contain to answer it, if meaning was not compared. */
  answers: number
  /** The same if meaning was compared and does not show an answer. */
  strong: number
  /** Minimum share of terms in a sentence that may help. */
  helps: number
  /** True if names and numbers of the question must also occur in sentences that are found by their words. */
  checksTerms: boolean
}

/**
 * Finds sentences that answer a question by their words or their meaning, or else sentences that may help. Each name
 * and number of the question must occur in an answer by meaning or its title. Returns `null` if there are none.
 */
export function decide(
  question: string,
  documents: readonly SourceDocument[],
  compared: readonly NearSentence[] | undefined,
  shares: Shares,
): Decision | null {
  const holdsTerms = (citation: Citation) => findUnansweredTerm(question, [citation]) === undefined
  const words = findPassages(question, documents, {
    floor: shares.helps,
    ...(shares.checksTerms && { answers: holdsTerms }),
  })
  // Words such as "Where are you?" are near to any sentence.
  const [first] = listTerms(question).length === 0 ? [] : (compared ?? [])
  const score = first ? Math.round(first.likeness * 100) / 100 : null
  if (words && words.coverage >= (first ? shares.strong : shares.answers)) return { answered: true, ...words, score }
  const near = first ? listNearCitations(documents, compared ?? []).filter(({ citation }) => holdsTerms(citation)) : []
  if (answersByMeaning(question, near[0], shares)) {
    return { answered: true, citations: quotesOf(near), coverage: null, score }
  }
  const helpful = near.filter(({ likeness }) => likeness >= helping).map(({ citation }) => citation)
  const citations = unique([...(words?.citations.slice(0, 1) ?? []), ...helpful]).slice(0, mostCitations)
  if (citations.length === 0) return null
  return { answered: false, citations, coverage: words?.coverage ?? null, score }
}

function answersByMeaning(question: string, best: NearCitation | undefined, { helps, strong }: Shares): boolean {
  if (!best || best.likeness < answering) return false
  return best.likeness >= clearly || !isHalfShared(question, best.citation, helps, strong)
}

/**
 * True if a sentence has some words of a question and lacks others. Such a sentence often is about another subject. For
 * example, "Madrid is the capital of Spain" for a question about the capital of France.
 */
function isHalfShared(question: string, { quote, title }: Citation, some: number, most: number): boolean {
  const asked = new Set(listTerms(question))
  const terms = new Set(listTerms(`${title ?? ''}\n${quote}`))
  const share = [...asked].filter((term) => terms.has(term)).length / asked.size
  return share >= some && share < most
}

interface NearCitation {
  citation: Citation
  likeness: number
}

function listNearCitations(documents: readonly SourceDocument[], near: readonly NearSentence[]): NearCitation[] {
  const byId = new Map(documents.map((document) => [document.id, document]))
  return near.flatMap(({ document_id, start, end, likeness }) => {
    const document = byId.get(document_id)
    const text = document?.text.slice(start, end) ?? ''
    return document && text !== '' ? [{ citation: citationOf({ document, text, start, end }), likeness }] : []
  })
}

/** Returns the nearest quote and further quotes of its document that are nearly as near, in document order. */
function quotesOf(nearest: readonly NearCitation[] = []): Citation[] {
  const [best] = nearest
  if (!best) return []
  const least = Math.max(answering, best.likeness * nearlyAsNear)
  return nearest
    .filter(({ citation, likeness }) => citation.document_id === best.citation.document_id && likeness >= least)
    .slice(0, mostCitations)
    .map(({ citation }) => citation)
    .sort((one, other) => one.start - other.start)
}

const unique = (citations: readonly Citation[]): Citation[] => [
  ...new Map(citations.map((citation) => [`${citation.document_id} ${citation.start}`, citation])).values(),
]
