import type { present } from '../present.ts'

type Company = ReturnType<typeof present>

interface Property {
  name: string
  of(company: Company): string | null | undefined
  /** Field of a query that the property sets. Undefined if it is only for data extension. */
  field?: 'jurisdiction' | 'code' | 'vat_number' | 'lei' | 'city' | 'postal_code'
}

/** Properties of companies in the reconciliation service, by ID. */
export const properties: Readonly<Record<string, Property>> = {
  name: { name: 'Name', of: ({ name }) => name },
  jurisdiction: { name: 'Jurisdiction', of: ({ jurisdiction }) => jurisdiction, field: 'jurisdiction' },
  code: { name: 'Code in the register', of: ({ code }) => code, field: 'code' },
  vat_number: { name: 'VAT number', of: ({ vat_number }) => vat_number, field: 'vat_number' },
  lei: { name: 'LEI', of: ({ lei }) => lei, field: 'lei' },
  status: { name: 'Status', of: ({ status }) => status },
  legal_form: { name: 'Legal form', of: ({ legal_form }) => legal_form.name ?? legal_form.code },
  registered_at: { name: 'Registration date', of: ({ registered_at }) => registered_at },
  dissolved_at: { name: 'Dissolution date', of: ({ dissolved_at }) => dissolved_at },
  address: { name: 'Address', of: ({ registered_address }) => registered_address.full },
  city: { name: 'City', of: ({ registered_address }) => registered_address.city, field: 'city' },
  postal_code: {
    name: 'Postal code',
    of: ({ registered_address }) => registered_address.postal_code,
    field: 'postal_code',
  },
  country: { name: 'Country of the address', of: ({ registered_address }) => registered_address.country },
  website: { name: 'Website', of: ({ website }) => website },
}

export const listProperties = (prefix: string): { id: string; name: string }[] =>
  Object.entries(properties)
    .filter(([id, { name }]) => id.startsWith(prefix) || name.toLowerCase().startsWith(prefix))
    .map(([id, { name }]) => ({ id, name }))
