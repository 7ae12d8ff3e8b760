import { outsideText } from '#lib/outside-text.ts'
import type { Facts } from '#sql/erp/companies.ts'
import { readCode, readLei, readVatNumber } from './codes.ts'
import { normalName } from './company-name.ts'
import type { Entry } from './profiles/profile.ts'
import { webAddress } from './web-address.ts'

/** A checked entry and its issues. Without facts, the whole entry is left out. */
export interface CheckedEntry {
  facts: Facts | null
  issues: string[]
}

const longest = { name: 500, text: 300 }

/**
 * Checks the codes of an entry by their check digits, and its dates. GLEIF entries of many registers are identified by
 * their LEI (`byLei`), and their codes can have any format.
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
  // A code of another format can belong to another register of the country, for example of funds or authorities.
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

/** Removes line breaks and characters that Postgres rejects, and limits the length. `null` for empty text. */
export function clean(text: string | undefined, most = longest.text): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  const plain = text?.replace(/[\s\u0000-\u001f]+/g, ' ').trim()
  return plain ? outsideText(plain, most) : null
}

/** Accepts `2020-02-29`, `29.02.2020` and `29/02/2020`. `null` for a date that does not exist. */
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
