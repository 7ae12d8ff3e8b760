import { toStorableText } from '#lib/outside-text.ts'
import type { DocumentCheck, DocumentFacts } from '#sql/identity/readings.ts'
import { type Card, readCard } from './elements.ts'
import { findIssuer, type Issuer } from './issuers.ts'

export interface Licence {
  facts: DocumentFacts
  checks: DocumentCheck[]
}

/**
 * Reads the data of a driving licence or an identity card of the United States or Canada. Returns `null` if the barcode
 * contains other data.
 */
export function parseLicence(text: string): Licence | null {
  const card = readCard(text)
  if (!card) return null
  const { elements, version } = card
  const issuer = findIssuer(card.iin)
  const country = countryOf(elements, issuer)
  const value = (id: string) => toStorableText(clean(elements.get(id) ?? ''))
  const date = (id: string) => dateOf(value(id), version > 1 && country === 'USA')
  const [birth_date, expiry_date] = [date('DBB'), date('DBA')]
  const names = namesOf(value)
  const facts: DocumentFacts = {
    format: 'AAMVA',
    kind: card.type === 'DL' ? 'driving_licence' : 'card',
    code: card.type,
    issuing_state: country,
    nationality: '',
    ...names,
    document_number: toStorableText(value('DAQ'), 40),
    birth_date,
    expiry_date,
    sex: sexOf(value('DBC')),
    subdivision: issuer ? `${country === 'CAN' ? 'CA' : 'US'}-${issuer.subdivision}` : null,
    issue_date: date('DBD'),
    address: addressOf(value),
    barcode_version: version,
  }
  const isComplete = facts.document_number !== '' && facts.surname !== '' && value('DBB') !== ''
  return {
    facts,
    checks: [
      { check: 'issuer', passed: issuer !== null },
      { check: 'fields', passed: isComplete },
      { check: 'dates', passed: birth_date !== null && areOrdered(facts) },
    ],
  }
}

const countryOf = (elements: Card['elements'], issuer: Issuer | null): 'USA' | 'CAN' => {
  const given = elements.get('DCG')
  return given === 'CAN' || given === 'USA' ? given : (issuer?.country ?? 'USA')
}

/** Element values that mean that there is no data. */
const absent = ['NONE', 'UNAVL', 'UNAVAIL', 'N/A']

function clean(value: string): string {
  const printed = [...value]
    .filter((one) => one >= ' ' && one !== '\u007f')
    .join('')
    .trim()
  return absent.includes(printed.toUpperCase()) ? '' : printed
}

function namesOf(value: (id: string) => string): Pick<DocumentFacts, 'surname' | 'given_names'> {
  const given = [value('DAC'), value('DAD')].filter(Boolean).join(' ') || value('DCT').replaceAll(',', ' ')
  const surname = value('DCS') || value('DAB')
  if (surname) return { surname, given_names: given }
  // The first version has one field: surname, given name, further names.
  const [last = '', ...others] = value('DAA').split(value('DAA').includes(',') ? ',' : ' ')
  return {
    surname: last.trim(),
    given_names:
      given ||
      others
        .map((one) => one.trim())
        .filter(Boolean)
        .join(' '),
  }
}

function sexOf(value: string): 'M' | 'F' | null {
  if (value === '1' || value === 'M') return 'M'
  return value === '2' || value === 'F' ? 'F' : null
}

/** Returns a date as `YYYY-MM-DD`: `MMDDYYYY` in the United States, `YYYYMMDD` in Canada and in the first version. */
function dateOf(digits: string, isAmerican: boolean): string | null {
  if (digits.length !== 8 || ![...digits].every((one) => one >= '0' && one <= '9')) return null
  const american = dayOf(digits.slice(4), digits.slice(0, 2), digits.slice(2, 4))
  const iso = dayOf(digits.slice(0, 4), digits.slice(4, 6), digits.slice(6))
  return isAmerican ? (american ?? iso) : (iso ?? american)
}

function dayOf(year: string, month: string, day: string): string | null {
  const text = `${year}-${month}-${day}`
  const date = new Date(`${text}T00:00:00Z`)
  const isReal = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
  return isReal && year >= '1880' && year <= '2199' ? text : null
}

/** True if the person was born before the document was issued, and it was issued before it expires. */
function areOrdered({ birth_date, issue_date, expiry_date }: DocumentFacts): boolean {
  const days = [birth_date, issue_date, expiry_date].filter((day) => typeof day === 'string')
  return days.every((day, i) => i === 0 || (days[i - 1] ?? '') < day)
}

function addressOf(value: (id: string) => string): DocumentFacts['address'] {
  const street = [value('DAG'), value('DAH')].filter(Boolean).join(', ')
  const address = { street, city: value('DAI'), subdivision: value('DAJ'), postal_code: postalOf(value('DAK')) }
  return Object.values(address).some(Boolean) ? address : null
}

/** Removes the filling of American codes: five digits, then four that are zero if they are unknown. */
const postalOf = (code: string): string => (code.length === 9 && code.endsWith('0000') ? code.slice(0, 5) : code)
