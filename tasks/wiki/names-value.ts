import { fold } from '#lib/fold.ts'
import { tokensOf } from '#lib/normal-text.ts'
import { numbersIn, readingsOf } from './numbers.ts'
import { namesTime } from './time-in-words.ts'

/** The value of a claim; of an entity, all names that it has. */
export interface ClaimValue {
  type: string
  content?: unknown
  names?: readonly string[]
}

/**
 * Whether a quote has the value of its claim: a number however its digits are grouped, a day however it is written, the words of a
 * text, one of the names of an entity, the host and path of a URL. Case and accents do not matter.
 */
export function namesValue(quote: string, { type, content, names = [] }: ClaimValue): boolean {
  const value = String(content ?? '')
  if (type === 'quantity')
    return numbersIn(quote).some((readings) => readingsOf(value).some((one) => readings.has(one)))
  if (type === 'time') return namesTime(quote, value)
  if (type === 'entity') return names.some((name) => hasWords(quote, name))
  if (type === 'url') return hasWords(quote, value) || hasWords(quote, bare(value))
  return hasWords(quote, value)
}

const hasWords = (quote: string, value: string): boolean => {
  const wanted = wordsOf(value)
  return wanted.trim() === '' ? quote.includes(value) : wordsOf(quote).includes(wanted)
}

/** Words and numbers of a text, folded, each between spaces; a number as what it is rather than as it is written. */
function wordsOf(text: string): string {
  const words = tokensOf(text).filter((token) => /[\p{L}\p{N}]/u.test(token))
  return ` ${words.map((word) => readingsOf(word).at(-1) ?? fold(word)).join(' ')} `
}

/** A URL as people write it. */
const bare = (url: string): string => url.replace(/^https?:\/\/(www\.)?/i, '').replace(/\/$/, '')
