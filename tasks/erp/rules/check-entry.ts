import { toStorableText } from '#lib/outside-text.ts'
import type { Facts } from '#sql/erp/companies.ts'
import { readCode, readLei, readVatNumber } from './codes.ts'
import { normaliseName } from './company-name.ts'
import type { Entry } from './profiles/profile.ts'
import { readWebUrl } from './web-address.ts'

/** A checked entry and its issues. If it has no facts, the whole entry is omitted. */
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
    const given = cleanText(text)
    const found = given === null ? null : read(given)
    if (given !== null && found === null) issues.push(`${issue}: ${toStorableText(given, 60)}`)
    return found
  }
  const name = cleanText(entry.name, longest.name)
  const { jurisdiction } = entry
  // A code in another format can belong to another register of the country, for example of funds or authorities.
  const code = readCode(jurisdiction, entry.code) ?? (byLei ? readCode('', entry.code) : null)
  if (!/^[a-z]{2}(-[a-z0-9]{1,3})?$/.test(jurisdiction))
    issues.push(`invalid jurisdiction: ${toStorableText(jurisdiction, 60)}`)
  else if (code === null) issues.push(`invalid code of jurisdiction ${jurisdiction}: ${toStorableText(entry.code, 60)}`)
  else if (name === null) issues.push(`name is missing: code ${code}`)
  else if (byLei && readLei(entry.lei ?? '') === null)
    issues.push(`invalid LEI: ${toStorableText(entry.lei ?? '', 60)}`)
  if (issues.length > 0 || code === null || name === null) return { facts: null, issues }
  const previous = (entry.previousNames ?? []).flatMap((one) => cleanText(one, longest.name) ?? [])
  const { legalForm = {}, address = {} } = entry
  return {
    facts: {
      jurisdiction,
      code,
      name,
      name_norm: normaliseName(name),
      previous_names: previous,
      previous_norm: previous.map(normaliseName).join('\n') || null,
      status: entry.status,
      status_raw: cleanText(entry.statusRaw),
      legal_form_code: cleanText(legalForm.code),
      legal_form_name: cleanText(legalForm.name),
      elf_code: cleanText(legalForm.elf),
      vat_number: note(entry.vatNumber, readVatNumber, 'invalid VAT number'),
      lei: note(entry.lei, readLei, 'invalid LEI'),
      registered_at: note(entry.registeredAt, readDate, 'invalid date'),
      dissolved_at: note(entry.dissolvedAt, readDate, 'invalid date'),
      street: cleanText(address.street),
      city: cleanText(address.city),
      region: cleanText(address.region),
      postal_code: cleanText(address.postalCode),
      country: cleanText(address.country)?.toUpperCase() ?? null,
      capital: capitalOf(entry.capital, issues),
      activities: entry.activities ?? [],
      website: note(entry.website, readWebUrl, 'invalid web address'),
    },
    issues,
  }
}

/** Removes line breaks and characters that Postgres rejects, and limits the length. Returns `null` for empty text. */
export function cleanText(text: string | undefined, most = longest.text): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  const plain = text?.replace(/[\s\u0000-\u001f]+/g, ' ').trim()
  return plain ? toStorableText(plain, most) : null
}

/** Parses `2020-02-29`, `29.02.2020` and `29/02/2020`. Returns `null` for a date that does not exist. */
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
  issues.push(`invalid capital: ${toStorableText(capital.amount, 30)} ${toStorableText(currency, 30)}`)
  return null
}
