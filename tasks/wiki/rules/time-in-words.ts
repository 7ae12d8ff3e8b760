import { fold } from '#sql/wiki/fold.ts'
import { tokenise } from './normal-text.ts'

const languages =
  'en et fi sv da nb de nl fr es pt it pl cs sk hu ro lt lv ru uk bg el tr ar he hi id vi hr sl sr ca ga is'.split(' ')

const known = new Map<number, readonly string[]>()

function namesOf(month: number): readonly string[] {
  const made = known.get(month) ?? spell(month)
  known.set(month, made)
  return made
}

function spell(month: number): string[] {
  const day = new Date(Date.UTC(2024, month - 1, 15))
  const styles = ['long', 'short'] as const
  const names = languages.flatMap((language) =>
    styles.flatMap((style) =>
      [{}, { day: 'numeric' as const }].flatMap((more) =>
        new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { month: style, timeZone: 'UTC', ...more })
          .formatToParts(day)
          .filter(({ type }) => type === 'month')
          .map(({ value }) => fold(value).replace(/[.\s]{1,9}$/, '')),
      ),
    ),
  )
  return [...new Set(names.filter((name) => /\p{L}/u.test(name)))]
}

/** True if a word is a month's name, or starts with a long one, as in languages with declension. */
const isMonth = (word: string, month: number): boolean =>
  namesOf(month).some((name) => word === name || (name.length > 3 && word.startsWith(name)))

/**
 * True if a text contains a time such as 1932-03-19: its known parts of year, month and day, in digits or with the
 * month's name.
 */
export function containsTime(text: string, time: string): boolean {
  const [year = '', month = 0, day = 0] = (time.replace(/^-/, '').split('T', 1)[0] ?? '').split('-').map(Number)
  const tokens = tokenise(text)
  const numbers = new Set(
    tokens
      .filter((token) => !amount.test(token))
      .flatMap((token) => token.match(/\d+/g) ?? [])
      .map(Number),
  )
  const named = () => tokens.some((token) => isMonth(fold(token), month))
  return numbers.has(Number(year)) && (month === 0 || numbers.has(month) || named()) && (day === 0 || numbers.has(day))
}

/** Numbers that are amounts, because their digits are grouped or superscript. */
const amount = /\u00a0|\d,\d{3}(?!\d)|\p{No}/u
