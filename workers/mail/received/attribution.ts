import { replyHeaderPrefixes, wroteVerbs } from './quote-words.ts'

/** Maximum number of characters in an attribution line. */
const longest = 400

/** Normalises a line: removes direction marks, replaces special blanks and trims the line. */
export const normaliseLine = (line = ''): string => line.replaceAll(directions, '').replaceAll(blanks, ' ').trim()

const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const blanks = /[\u00a0\u202f]/g

/** Returns the text in lower case and composed, without the dot that remains of a Turkish İ. */
export const toLowerComposed = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('\u0307', '')

export const isMarked = (line: string | undefined): boolean => /^\s{0,80}>(?:$|[\s>\p{L}\p{P}])/u.test(line ?? '')

export const endsWithColon = (line: string): boolean => line.endsWith(':') || line.endsWith('：')

/**
 * Returns the start of an attribution that ends at line `last`. Email clients split an attribution into up to four
 * lines.
 */
export function attributionAt(
  texts: readonly string[],
  last: number,
  fits: (text: string) => boolean,
): number | undefined {
  let text = ''
  for (let i = last; i > last - 4 && i >= 0; i--) {
    const line = texts[i] ?? ''
    if (line === '' || isMarked(line) || text.length > longest) return undefined
    text = `${line} ${text}`.trim()
    if (text.length <= longest && fits(text)) return openingAbove(texts, i, last)
  }
  return undefined
}

function openingAbove(texts: readonly string[], start: number, last: number): number {
  if (opens(texts[start])) return start
  for (let i = start - 1; i > last - 4 && texts[i]; i--) if (opens(texts[i])) return i
  return start
}

function opens(line = ''): boolean {
  const text = toLowerComposed(line.slice(0, 20))
  return replyHeaderPrefixes.some((opening) => text.startsWith(opening))
}

/** If the line was split at the first bracket, only the second bracket is next to the address. */
const hasAddress = (text: string): boolean =>
  text.split(/\s/).some((word) => {
    const at = word.indexOf('@')
    return at > 0 && (/[<([]/.test(word.slice(0, at)) || /[>)\]]/.test(word.slice(at)))
  })
const hasTime = (text: string): boolean => /(?:^|\P{Nd})\p{Nd}{1,2}[:.h時时]\s?\p{Nd}{2}/u.test(text)
const hasYear = (text: string): boolean => /\p{Nd}{4}/u.test(text)
const hasDay = (text: string): boolean => hasYear(text) || /\p{Nd}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2}/u.test(text)
const endsWithBracket = (text: string): boolean => /[>)\]]\s?[:：]$/.test(text)
const hasVerb = (text: string): boolean => wroteVerbs.some((verb) => toLowerComposed(text).includes(verb))
/**
 * True if the line starts with the date and has no verb, as Gmail writes it in Russian, Japanese and other languages.
 */
const startsWithDate = (text: string): boolean => /^[^\p{Nd}<@]{0,14}\p{Nd}/u.test(text)

/**
 * True if the line is an attribution above text without quote marks. This check is stricter than the one for marked
 * quotes.
 */
export function isUnmarkedAttribution(text: string): boolean {
  const [isTimed, isAddressed] = [hasTime(text), hasAddress(text)]
  if (!endsWithColon(text) || !(isTimed || isAddressed)) return false
  if (hasVerb(text)) return hasDay(text) || (isTimed && isAddressed)
  return isTimed && isAddressed && endsWithBracket(text) && hasYear(text) && startsWithDate(text)
}

export function isAttribution(text: string): boolean {
  if (!endsWithColon(text)) return false
  const hasDate = hasTime(text) || hasDay(text)
  return hasAddress(text) ? hasDate || hasVerb(text) : hasVerb(text) && (opens(text) || hasDate)
}
