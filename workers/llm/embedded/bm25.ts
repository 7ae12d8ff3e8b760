/** Okapi BM25 with its usual parameters. */
const k1 = 1.2
const b = 0.75

export interface Bm25 {
  frequency(term: string): number
  score(query: Iterable<string>): Float64Array
  /** Returns scores for a passage's terms that occur in up to `most` passages. Passages without a match are omitted. */
  neighbours(terms: readonly string[], most: number): Map<number, number>
}

export function createBm25(passages: readonly (readonly string[])[]): Bm25 {
  const postings = new Map<string, Map<number, number>>()
  for (const [i, terms] of passages.entries()) {
    for (const term of terms) {
      const posting = postings.get(term) ?? new Map<number, number>()
      postings.set(term, posting.set(i, (posting.get(i) ?? 0) + 1))
    }
  }
  const average = passages.reduce((sum, terms) => sum + terms.length, 0) / passages.length || 1
  const weightOf = (i: number, count: number, frequency: number) => {
    const rarity = Math.log(1 + (passages.length - frequency + 0.5) / (frequency + 0.5))
    const length = (passages[i]?.length ?? 0) / average
    return (rarity * count * (k1 + 1)) / (count + k1 * (1 - b + b * length))
  }
  return {
    frequency: (term) => postings.get(term)?.size ?? 0,
    score(query) {
      const scores = new Float64Array(passages.length)
      for (const term of new Set(query)) {
        const posting = postings.get(term) ?? new Map<number, number>()
        for (const [i, count] of posting) scores[i] = (scores[i] ?? 0) + weightOf(i, count, posting.size)
      }
      return scores
    },
    neighbours(terms, most) {
      const found = new Map<number, number>()
      for (const term of new Set(terms)) {
        const posting = postings.get(term)
        if (!posting || posting.size > most) continue
        for (const [i, count] of posting) found.set(i, (found.get(i) ?? 0) + weightOf(i, count, posting.size))
      }
      return found
    },
  }
}
