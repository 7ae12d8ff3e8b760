/** Returns the groups of three characters of each word, with padding as in the Postgres extension pg_trgm. */
function trigramsOf(text: string): Set<string> {
  const found = new Set<string>()
  for (const word of text.split(' ').filter(Boolean)) {
    const padded = `  ${word} `
    for (let i = 0; i + 3 <= padded.length; i++) found.add(padded.slice(i, i + 3))
  }
  return found
}

/** Returns the share of equal trigrams of two normalised names, from 0 to 1. Equal names have 1. */
export function compareNames(one: string, other: string): number {
  if (one === other) return 1
  const [a, b] = [trigramsOf(one), trigramsOf(other)]
  const shared = [...a].filter((trigram) => b.has(trigram)).length
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}
