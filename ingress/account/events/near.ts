/** Returns up to `most` of the known words that are most similar to a word, the most similar first. */
export function findNear(word: string, known: readonly string[], most = 3): string[] {
  const farthest = Math.max(3, Math.floor(word.length / 2))
  return known
    .map((one) => ({ one, distance: countEdits(word, one) }))
    .filter(({ one, distance }) => distance <= farthest || one.startsWith(`${word}.`))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ one }) => one)
}

/** Returns the Levenshtein distance: the number of characters to insert, delete or replace. */
function countEdits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}
