import { fold } from '#sql/wiki/fold.ts'
import { tokensOf } from './normal-text.ts'
import { numbersIn, readingsOf } from './numbers.ts'
import { namesTime } from './time-in-words.ts'

/** The value of a claim; of an entity, all names that it has. */
export interface ClaimValue {
  type: string
  content?: unknown
  names?: readonly string[]
}

/**
 * Tells whether quotes have the value of their claim: a number however its digits are grouped, a day however it is written, the words
 * of a text, one of the names of an entity, the host and path of a URL. Case and accents do not matter. What is made of the value is
 * made once, as an entity may have many names and be the value of many claims.
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

/** Words that texts begin with, each with those that may follow it; where one of the texts ends, the end. */
type Beginnings = Map<string | typeof end, Beginnings>
const end = Symbol('end')

/** Whether a quote has one of the texts, word by word; of those without words, sign by sign. */
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

/** Whether one of the texts stands at a place of the words. */
function begins(words: readonly string[], at: number, first: Beginnings): boolean {
  let known: Beginnings | undefined = first
  for (let i = at; known; i++) {
    if (known.has(end)) return true
    known = i < words.length ? known.get(words[i] as string) : undefined
  }
  return false
}

/** Words and numbers of a text, folded; a number as what it is rather than as it is written. */
const wordsOf = (text: string): string[] =>
  tokensOf(text)
    .filter((token) => /[\p{L}\p{N}]/u.test(token))
    .map((word) => readingsOf(word).at(-1) ?? fold(word))

/** A URL as people write it. */
const bare = (url: string): string => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')
