import { wroteOpenings, wroteVerbs } from './quote-words.ts'

/** Characters of a line that says who wrote what follows. */
const longest = 400

/** A line as it is compared: without marks of direction, with plain blanks, and none around it. */
export const textOf = (line = ''): string => line.replaceAll(directions, '').replaceAll(blanks, ' ').trim()

const directions = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const blanks = /[\u00a0\u202f]/g

/** In lower case and composed; a Turkish İ without the dot that is left of it. */
export const lower = (text: string): string => text.normalize('NFC').toLowerCase().replaceAll('\u0307', '')

/** Whether a line is marked as quoted. */
export const isMarked = (line: string | undefined): boolean => /^\s{0,80}>(?:$|[\s>\p{L}\p{P}])/u.test(line ?? '')

export const endsWithColon = (line: string): boolean => line.endsWith(':') || line.endsWith('：')

/** Where the line begins that ends at `last` of cleaned lines and says who wrote what follows: programs break it into up to four. */
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

/** The line above, or the one above that, where a line that was broken begins. */
function openingAbove(texts: readonly string[], start: number, last: number): number {
  if (opens(texts[start])) return start
  for (let i = start - 1; i > last - 4 && texts[i]; i--) if (opens(texts[i])) return i
  return start
}

function opens(line = ''): boolean {
  const text = lower(line.slice(0, 20))
  return wroteOpenings.some((opening) => text.startsWith(opening))
}

/** An address in brackets; where the line was broken at the first bracket, only the second is beside it. */
const hasAddress = (text: string): boolean =>
  text.split(/\s/).some((word) => {
    const at = word.indexOf('@')
    return at > 0 && (/[<([]/.test(word.slice(0, at)) || /[>)\]]/.test(word.slice(at)))
  })
const hasTime = (text: string): boolean => /(?:^|\P{Nd})\p{Nd}{1,2}[:.h時时]\s?\p{Nd}{2}/u.test(text)
const hasYear = (text: string): boolean => /\p{Nd}{4}/u.test(text)
const hasDay = (text: string): boolean => hasYear(text) || /\p{Nd}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2}/u.test(text)
const endsWithBracket = (text: string): boolean => /[>)\]]\s?[:：]$/.test(text)
const hasVerb = (text: string): boolean => wroteVerbs.some((verb) => lower(text).includes(verb))
/** As Gmail has it in Russian, Japanese and others: the date first, no verb. */
const startsWithDate = (text: string): boolean => /^[^\p{Nd}<@]{0,14}\p{Nd}/u.test(text)

/** Above text that is not marked, only what could hardly be anything else is taken for such a line. */
export function isUnmarkedAttribution(text: string): boolean {
  const [isTimed, isAddressed] = [hasTime(text), hasAddress(text)]
  if (!endsWithColon(text) || !(isTimed || isAddressed)) return false
  if (hasVerb(text)) return hasDay(text) || (isTimed && isAddressed)
  return isTimed && isAddressed && endsWithBracket(text) && hasYear(text) && startsWithDate(text)
}

/** Whether a line above a marked quote says who wrote it. */
export function isAttribution(text: string): boolean {
  if (!endsWithColon(text)) return false
  const hasDate = hasTime(text) || hasDay(text)
  return hasAddress(text) ? hasDate || hasVerb(text) : hasVerb(text) && (opens(text) || hasDate)
}
