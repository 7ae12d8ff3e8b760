import { type Facts, statuses } from '#sql/erp/companies.ts'
import type { Profile } from './profile.ts'

/** Any register as CSV whose headings are ours (see the guide); only `code` and `name` must be there. */
export const generic: Profile = {
  register: 'generic',
  licence: null,
  recordUrl: null,
  headings: ['code', 'name'],
  missing: 'dissolved',
  adds: false,
  read(row, jurisdiction) {
    const get = row.get
    const status = get('status').toLowerCase().replaceAll(' ', '_') || 'active'
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
