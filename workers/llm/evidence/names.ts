import { listTerms } from '#lib/terms.ts'
import { detectLanguage, type Language } from './language.ts'

const word = /([.!?:;…][\s"“„«»'’)]{1,4})?([\p{L}\p{N}][\p{L}\p{M}\p{N}'’]{0,60})/gu

/** In German, all nouns are capitalised. Nouns that follow these words without an article are usually names. */
const beforeName = /^(?:von|nach|in|aus|für|bei|mit|durch|gegen|über|zwischen|herr|frau)$/u

export function findNames(text: string): string[] {
  const german = detectLanguage(text) === 'de'
  const found = new Set<string>()
  let before: string | undefined
  for (const { 1: begin, 2: given = '' } of text.matchAll(word)) {
    const own = given.replace(/['’]s?$/u, '')
    const isCoded = /\p{L}/u.test(own) && /\p{N}/u.test(own)
    const isCapital =
      begin === undefined && before !== undefined && /^\p{Lu}/u.test(own) && (!german || beforeName.test(before))
    if (isCoded || isCapital) for (const term of listTerms(own)) found.add(term)
    before = own.toLowerCase()
  }
  return [...found]
}

/** Languages in which names have case endings. */
const inflected: ReadonlySet<Language | undefined> = new Set(['ru', 'et'])

/**
 * Returns a function that checks whether a text contains a term, by its stem. In inflected languages, ignores the last
 * letters.
 */
export function createTermMatcher(text: string): (term: string) => boolean {
  const terms = new Set(listTerms(text))
  if (!inflected.has(detectLanguage(text))) return (term) => terms.has(term)
  return (term) => terms.has(term) || [...terms].some((other) => isAlike(term, other))
}

function isAlike(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length)
  let common = 0
  while (common < shorter && one[common] === other[common]) common++
  return common >= 4 && common >= shorter - 2
}
