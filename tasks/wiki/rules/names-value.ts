import { fold } from '#sql/wiki/fold.ts'
import { tokenise } from './normal-text.ts'
import { findNumbers, listReadings } from './numbers.ts'
import { containsTime } from './time-in-words.ts'

/** The value of a claim. For an entity, all its names. */
export interface ClaimValue {
  type: string
  content?: unknown
  names?: readonly string[]
}

/**
 * Returns a function that is true if a quote contains the value. Ignores case, accents, digit grouping and the notation
 * of days. An entity matches by one of its names, a URL by its host and path.
 * Prepares the value once, because an entity can have many names and claims.
 */
export function valueFinder({ type, content, names = [] }: ClaimValue): (quote: string) => boolean {
  const value = String(content ?? '')
  if (type === 'quantity') {
    const wanted = listReadings(value)
    return (quote) => findNumbers(quote).some((readings) => wanted.some((one) => readings.has(one)))
  }
  if (type === 'time') return (quote) => containsTime(quote, value)
  if (type === 'entity') return anyOf(names)
  return anyOf(type === 'url' ? [value, withoutScheme(value)] : [value])
}

/** Prefix tree of texts by word. `end` marks the end of a text. */
type Beginnings = Map<string | typeof end, Beginnings>
const end = Symbol('end')

function anyOf(texts: readonly string[]): (quote: string) => boolean {
  const [first, signs]: [Beginnings, string[]] = [new Map(), []]
  for (const text of new Set(texts)) {
    const words = wordsOf(text)
    if (words.length === 0) signs.push(text)
    else words.reduce(following, first).set(end, new Map())
  }
  return (quote) => {
    const words = wordsOf(quote)
    return words.some((_, at) => begins(words, at, first)) || signs.some((text) => quote.includes(text))
  }
}

function following(before: Beginnings, word: string): Beginnings {
  const after = before.get(word) ?? new Map()
  before.set(word, after)
  return after
}

function begins(words: readonly string[], at: number, first: Beginnings): boolean {
  let known: Beginnings | undefined = first
  for (let i = at; known; i++) {
    if (known.has(end)) return true
    known = i < words.length ? known.get(words[i] as string) : undefined
  }
  return false
}

const wordsOf = (text: string): string[] =>
  tokenise(text)
    .filter((token) => /[\p{L}\p{N}]/u.test(token))
    .map((word) => listReadings(word).at(-1) ?? fold(word))

const withoutScheme = (url: string): string => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')
