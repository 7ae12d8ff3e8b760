import { fold } from '#sql/wiki/fold.ts'
import { tokensOf } from './normal-text.ts'
import { numbersIn, readingsOf } from './numbers.ts'
import { namesTime } from './time-in-words.ts'

/** The value of a claim. For an entity, all its names. */
export interface ClaimValue {
  type: string
  content?: unknown
  names?: readonly string[]
}

/**
 * Returns a function that checks whether a quote contains the value: a number in any digit grouping, a day in any
 * notation, the words of a text, one of an entity's names, or the host and path of a URL. Ignores case and accents.
 * Prepares the value once, because an entity can have many names and claims.
 */
export function valueFinder({ type, content, names = [] }: ClaimValue): (quote: string) => boolean {
  const value = String(content ?? '')
  if (type === 'quantity') {
    const wanted = readingsOf(value)
    return (quote) => numbersIn(quote).some((readings) => wanted.some((one) => readings.has(one)))
  }
  if (type === 'time') return (quote) => namesTime(quote, value)
  if (type === 'entity') return anyOf(names)
  return anyOf(type === 'url' ? [value, bare(value)] : [value])
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
  tokensOf(text)
    .filter((token) => /[\p{L}\p{N}]/u.test(token))
    .map((word) => readingsOf(word).at(-1) ?? fold(word))

const bare = (url: string): string => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')
