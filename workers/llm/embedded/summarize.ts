import { type Sentence, splitSentences } from '#lib/sentences.ts'
import { listTerms } from '#lib/terms.ts'
import type { RankedSentence, Summary, SummaryRequest } from '#tasks/ai/engine.ts'
import { createBm25 } from './bm25.ts'
import { getEngineResult } from './worked.ts'

/** Usual values of PageRank. */
const damping = 0.85
const rounds = 25
/**
 * Maximum number of sentences that share a term. More frequent terms add no edges, because they would connect almost
 * all sentences.
 */
const mostSharing = 120
const focusWeight = 2

/** Returns the most central sentences in text order: TextRank over BM25 (Barrios et al., 2016). */
export function summarize({ text, sentences: most, format, focus }: SummaryRequest): Summary {
  const sentences = splitSentences(text)
  const scores = rank(sentences, focus)
  const highest = Math.max(...scores.values(), Number.MIN_VALUE)
  const chosen = distinct(sentences.map((sentence, i) => ({ sentence, i, score: scores.get(i) ?? 0 })))
    .sort((one, other) => other.score - one.score || one.i - other.i)
    .slice(0, most)
    .sort((one, other) => one.i - other.i)
    .map(
      ({ sentence, score }): RankedSentence => ({ ...sentence, rank_score: Math.round((score / highest) * 1e4) / 1e4 }),
    )
  const lines = chosen.map(({ text: line }) => line.replace(/\s+/gu, ' '))
  const summary = format === 'bullets' ? lines.map((line) => `- ${line}`).join('\n') : lines.join(' ')
  return { summary, sentences: chosen, ...getEngineResult([text, focus ?? ''], summary) }
}

function distinct<Scored extends { sentence: Sentence }>(all: readonly Scored[]): Scored[] {
  const said = new Set<string>()
  return all.filter(({ sentence }) => {
    const words = sentence.text.toLowerCase().replace(/\s+/gu, ' ')
    return !said.has(words) && said.add(words)
  })
}

function rank(sentences: readonly Sentence[], focus: string | undefined): Map<number, number> {
  const terms = sentences.map((sentence) => listTerms(sentence.text))
  const index = createBm25(terms)
  const edges = terms.map((own, i) => {
    const near = index.neighbours(own, mostSharing)
    near.delete(i)
    return [...near]
  })
  const totals = edges.map((near) => near.reduce((sum, [, weight]) => sum + weight, 0))
  const start = startOf(sentences.length, focus ? index.score(listTerms(focus)) : undefined)
  let scores: Float64Array = start
  for (let round = 0; round < rounds; round++) {
    const next = start.map((weight) => (1 - damping) * weight)
    for (const [i, near] of edges.entries()) {
      const given = (damping * (scores[i] ?? 0)) / (totals[i] || 1)
      for (const [j, weight] of near) next[j] = (next[j] ?? 0) + given * weight
    }
    scores = next
  }
  return new Map(scores.entries())
}

function startOf(length: number, focus: Float64Array | undefined): Float64Array {
  const highest = focus ? focus.reduce((most, score) => Math.max(most, score), 0) : 0
  return Float64Array.from({ length }, (_, i) => {
    const about = focus && highest > 0 ? (focusWeight * length * (focus[i] ?? 0)) / highest : 0
    return 1 + about + (i === 0 ? 0.5 : 0)
  })
}
