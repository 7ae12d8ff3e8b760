import { type Facts, statuses } from '#sql/erp/companies.ts'
import type { Profile } from './profile.ts'

/** Millrace’s field names: the headings of a file, or the targets of its mapping. */
export const fields = [
  ...['jurisdiction', 'code', 'name', 'previous_names', 'status', 'legal_form_code', 'legal_form', 'vat_number', 'lei'],
  ...['registered_at', 'dissolved_at', 'street', 'city', 'region', 'postal_code', 'country', 'capital_amount'],
  ...['capital_currency', 'nace_codes', 'website'],
] as const

/**
 * Any register as CSV or JSON with Millrace’s field names or a mapping (see the guide). Only `code` and `name` are
 * required.
 */
export const generic: Profile = {
  register: 'generic',
  licence: null,
  recordUrl: null,
  headings: ['code', 'name'],
  records: [],
  missing: 'dissolved',
  adds: false,
  read(row, { jurisdiction, statuses: words = {} }) {
    const get = row.get
    const word = get('status').toLowerCase()
    const status = (Object.hasOwn(words, word) ? words[word] : undefined) ?? (word.replaceAll(' ', '_') || 'active')
    return {
      jurisdiction: get('jurisdiction').toLowerCase() || jurisdiction || '',
      code: get('code'),
      name: get('name'),
      previousNames: get('previous_names').split('|'),
      status: (statuses as readonly string[]).includes(status) ? (status as Facts['status']) : 'unknown',
      statusRaw: get('status'),
      legalForm: { code: get('legal_form_code'), name: get('legal_form') },
      vatNumber: get('vat_number'),
      lei: get('lei'),
      registeredAt: get('registered_at'),
      dissolvedAt: get('dissolved_at'),
      address: {
        street: get('street'),
        city: get('city'),
        region: get('region'),
        postalCode: get('postal_code'),
        country: get('country'),
      },
      capital: { amount: get('capital_amount'), currency: get('capital_currency') },
      activities: get('nace_codes')
        .split('|')
        .filter((code) => code.trim() !== '')
        .map((code, i) => ({ scheme: 'NACE', code: code.trim(), name: null, primary: i === 0 })),
      website: get('website'),
    }
  },
}
