import { outsideText } from '#lib/outside-text.ts'
import type { Facts } from '#sql/erp/companies.ts'
import { readCode, readLei, readVatNumber } from './codes.ts'
import { normalName } from './company-name.ts'
import type { Entry } from './profiles/profile.ts'
import { webAddress } from './web-address.ts'

/** An entry as it is kept, and what of it was left out; without facts the whole of it is. */
export interface CheckedEntry {
  facts: Facts | null
  issues: string[]
}

const longest = { name: 500, text: 300 }

/**
 * Checks an entry's codes by their check digits, and its dates. GLEIF knows companies of many registers: what identifies them is
 * their LEI (`byLei`), and their codes have whatever shape.
 */
export function checkEntry(entry: Entry, byLei: boolean): CheckedEntry {
  const issues: string[] = []
  const note = <T>(text: string | undefined, read: (text: string) => T | null, issue: string): T | null => {
    const given = clean(text)
    const found = given === null ? null : read(given)
    if (given !== null && found === null) issues.push(`${issue}: ${outsideText(given, 60)}`)
    return found
  }
  const name = clean(entry.name, longest.name)
  const { jurisdiction } = entry
  // One that has not the shape of its country's may be of another register there: of funds, of authorities.
  const code = readCode(jurisdiction, entry.code) ?? (byLei ? readCode('', entry.code) : null)
  if (!/^[a-z]{2}(-[a-z0-9]{1,3})?$/.test(jurisdiction))
    issues.push(`invalid jurisdiction: ${outsideText(jurisdiction, 60)}`)
  else if (code === null) issues.push(`invalid code of jurisdiction ${jurisdiction}: ${outsideText(entry.code, 60)}`)
  else if (name === null) issues.push(`name is missing: code ${code}`)
  else if (byLei && readLei(entry.lei ?? '') === null) issues.push(`invalid LEI: ${outsideText(entry.lei ?? '', 60)}`)
  if (issues.length > 0 || code === null || name === null) return { facts: null, issues }
  const previous = (entry.previousNames ?? []).flatMap((one) => clean(one, longest.name) ?? [])
  const { legalForm = {}, address = {} } = entry
  return {
    facts: {
      jurisdiction,
      code,
      name,
      name_norm: normalName(name),
      previous_names: previous,
      previous_norm: previous.map(normalName).join('\n') || null,
      status: entry.status,
      status_raw: clean(entry.statusRaw),
      legal_form_code: clean(legalForm.code),
      legal_form_name: clean(legalForm.name),
      elf_code: clean(legalForm.elf),
      vat_number: note(entry.vatNumber, readVatNumber, 'invalid VAT number'),
      lei: note(entry.lei, readLei, 'invalid LEI'),
      registered_at: note(entry.registeredAt, readDate, 'invalid date'),
      dissolved_at: note(entry.dissolvedAt, readDate, 'invalid date'),
      street: clean(address.street),
      city: clean(address.city),
      region: clean(address.region),
      postal_code: clean(address.postalCode),
      country: clean(address.country)?.toUpperCase() ?? null,
      capital: capitalOf(entry.capital, issues),
      activities: entry.activities ?? [],
      website: note(entry.website, webAddress, 'invalid web address'),
    },
    issues,
  }
}

/** Without line breaks, characters that Postgres does not take, and more than its share; null for nothing. */
export function clean(text: string | undefined, most = longest.text): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  const plain = text?.replace(/[\s\u0000-\u001f]+/g, ' ').trim()
  return plain ? outsideText(plain, most) : null
}

/** `2020-02-29`, `29.02.2020` or `29/02/2020`; null for a day that never was. */
export function readDate(text: string): string | null {
  const [, day, month, year] = /^(\d{1,2})[./](\d{1,2})[./](\d{4})$/.exec(text) ?? []
  const iso = year === undefined ? text : `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  const [, y, m, d] = /^([1-9]\d{3})-(\d\d)-(\d\d)$/.exec(iso) ?? []
  const at = new Date(Date.UTC(Number(y), Number(m) - 1, Number(d)))
  return d !== undefined && at.toISOString().slice(0, 10) === iso ? iso : null
}

function capitalOf(capital: Entry['capital'], issues: string[]): Facts['capital'] {
  if (!capital || (capital.amount === '' && capital.currency === '')) return null
  const [amount, currency] = [Number(capital.amount.replace(',', '.')), capital.currency.toUpperCase()]
  if (capital.amount !== '' && Number.isFinite(amount) && amount >= 0 && /^[A-Z]{3}$/.test(currency))
    return { amount, currency }
  issues.push(`invalid capital: ${outsideText(capital.amount, 30)} ${outsideText(currency, 30)}`)
  return null
}
