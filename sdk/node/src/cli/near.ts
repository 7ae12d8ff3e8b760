/** Returns up to three words that are similar to a misspelt word, the most similar first. */
function findNear(word: string, words: Iterable<string>): string[] {
  const most = Math.max(2, Math.floor(word.length / 3))
  return [...words]
    .map((one) => ({ one, distance: one.startsWith(word) ? 0 : distanceOf(word, one) }))
    .filter(({ distance }) => distance <= most)
    .sort((first, second) => first.distance - second.distance)
    .slice(0, 3)
    .map(({ one }) => one)
}

/** Returns the sentence that names similar words, or an empty text. */
export function didYouMean(word: string, words: Iterable<string>): string {
  const near = findNear(word, words)
  return near.length === 0 ? '' : ` Similar: ${near.join(', ')}.`
}

/** Returns the number of inserted, deleted and replaced characters between two words. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
