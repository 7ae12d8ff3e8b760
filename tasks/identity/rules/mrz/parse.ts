import type { DocumentCheck, DocumentFacts } from '#sql/identity/readings.ts'
import { checkDigit } from './check-digit.ts'
import { birthDate, expiryDate } from './dates.ts'
import { type Layout, layouts } from './layout.ts'
import { fitLines, textAt } from './lines.ts'

export interface Mrz {
  facts: DocumentFacts
  checks: DocumentCheck[]
}

/** First letters of document codes (ICAO 9303-4, -5 and -6): passports and cards. */
const kinds: Readonly<Record<string, DocumentFacts['kind']>> = { P: 'passport', I: 'card', A: 'card', C: 'card' }

/** Checks that show whether the lines were read at all. */
const core = ['document_number', 'birth_date', 'expiry_date', 'composite'] as const

/** Minimum number of passed core checks. With fewer passed checks, the match is probably a coincidence. */
const leastCore = 2

/** Parses lines in the format with the most passed checks. Returns `null` if no format matches. */
export function parseMrz(read: readonly string[], now = new Date()): Mrz | null {
  const found = layouts.flatMap((layout) => {
    const lines = fitLines(layout, read)
    const mrz = lines && readBy(layout, lines, now)
    return mrz ? [mrz] : []
  })
  return found.reduce<Mrz | null>(
    (best, one) => (best === null || countPassed(one) > countPassed(best) ? one : best),
    null,
  )
}

export const countPassed = ({ checks }: Mrz): number => checks.filter(({ passed }) => passed).length

export const isSound = ({ checks }: Pick<Mrz, 'checks'>): boolean => checks.every(({ passed }) => passed)

function readBy(layout: Layout, lines: readonly string[], now: Date): Mrz | null {
  const at = (span: Layout['code']) => textAt(lines, span)
  const code = at(layout.code)
  const kind = kinds[code[0] ?? '']
  if (kind === undefined) return null
  const number = numberOf(layout, lines)
  const [birth, expiry] = [at(layout.birth), at(layout.expiry)]
  const [birth_date, expiry_date] = [birthDate(birth, now), expiryDate(expiry, now)]
  const optional = at(layout.optional)
  const digit = layout.optionalDigit && at(layout.optionalDigit)
  const isEmpty = [...optional].every((one) => one === '<')
  const checks: DocumentCheck[] = [
    { check: 'document_number', passed: checkDigit(number.text) === number.digit },
    { check: 'birth_date', passed: checkDigit(birth) === at(layout.birthDigit) },
    { check: 'expiry_date', passed: checkDigit(expiry) === at(layout.expiryDigit) },
    ...(digit === undefined
      ? []
      : [{ check: 'optional_data' as const, passed: checkDigit(optional) === digit || (isEmpty && digit === '<') }]),
    { check: 'composite', passed: checkDigit(layout.compositeOf.map(at).join('')) === at(layout.composite) },
    { check: 'dates', passed: birth_date !== null && expiry_date !== null },
  ]
  const held = checks.filter(({ check, passed }) => passed && core.some((one) => one === check))
  if (held.length < leastCore) return null
  const sex = at(layout.sex)
  const facts: DocumentFacts = {
    format: layout.format,
    kind,
    code: plain(code),
    issuing_state: plain(at(layout.state)),
    nationality: plain(at(layout.nationality)),
    ...namesOf(at(layout.names)),
    document_number: plain(number.text),
    birth_date,
    expiry_date,
    sex: sex === 'M' || sex === 'F' ? sex : null,
  }
  return { facts, checks }
}

/**
 * Returns the number with its check digit. A number that is too long continues in the optional data (ICAO 9303-5,
 * 4.2.4).
 */
function numberOf(layout: Layout, lines: readonly string[]): { text: string; digit: string } {
  const [text, digit] = [textAt(lines, layout.number), textAt(lines, layout.numberDigit)]
  if (digit !== '<' || layout.format === 'TD3') return { text, digit }
  const [rest = ''] = textAt(lines, layout.optional).split('<')
  return rest === '' ? { text, digit } : { text: text + rest.slice(0, -1), digit: rest.slice(-1) }
}

/** Returns surname and given names. Text after three fillers is ignored. */
function namesOf(field: string): { surname: string; given_names: string } {
  const [names = ''] = field.split('<<<')
  const [surname = '', given = ''] = names.split('<<')
  return { surname: plain(surname), given_names: plain(given) }
}

const plain = (text: string): string => text.split('<').filter(Boolean).join(' ')
