import { z } from 'zod'
import { type Company as Row, statuses } from '#sql/erp/companies.ts'
import { readWebUrl } from '#tasks/erp/rules/web-address.ts'
import { Instant } from '../http/instant.ts'

const Day = z.string().nullable().describe('Date in the form `YYYY-MM-DD`')

export const Company = z
  .object({
    jurisdiction: z
      .string()
      .describe('ISO 3166-1 alpha-2 country in lower case, or a subdivision. For example, `ee`, `gb` or `us-de`.'),
    code: z.string().describe('Code as written in the register. It can start with zeros.'),
    name: z.string(),
    previous_names: z.array(z.string()),
    status: z.enum(statuses),
    status_raw: z.string().nullable().describe('Original text from the register'),
    legal_form: z.object({
      code: z.string().nullable(),
      name: z.string().nullable(),
      elf_code: z.string().nullable().describe('ELF code of the legal form (ISO 20275)'),
    }),
    vat_number: z.string().nullable(),
    lei: z.string().nullable().describe('Legal Entity Identifier (ISO 17442)'),
    registered_at: Day,
    dissolved_at: Day,
    missing_since: Instant.nullable().describe(
      'Time of the first import without this company. `null` if the register contains it.',
    ),
    registered_address: z.object({
      full: z.string().nullable(),
      street: z.string().nullable(),
      city: z.string().nullable(),
      region: z.string().nullable(),
      postal_code: z.string().nullable(),
      country: z.string().nullable(),
    }),
    capital: z.object({ amount: z.number(), currency: z.string() }).nullable(),
    activities: z.array(
      z.object({ scheme: z.string(), code: z.string(), name: z.string().nullable(), primary: z.boolean() }),
    ),
    website: z.string().nullable(),
    source: z.object({
      register: z.string(),
      record_url: z.string().nullable(),
      retrieved_at: Instant.nullable().describe('Time of the last import of the register'),
      licence: z.string().nullable(),
    }),
    updated_at: Instant.describe('Last change in Millrace'),
  })
  .meta({ id: 'erp.Company' })

export function present(row: Row): z.input<typeof Company> {
  const { street, city, region, postal_code, country } = row
  const town = [postal_code, city].filter((part) => part !== null).join(' ')
  const full = [street, town, region, country].filter((part) => part).join(', ')
  return {
    jurisdiction: row.jurisdiction,
    code: row.code,
    name: row.name,
    previous_names: row.previous_names,
    status: row.status,
    status_raw: row.status_raw,
    legal_form: { code: row.legal_form_code, name: row.legal_form_name, elf_code: row.elf_code },
    vat_number: row.vat_number,
    lei: row.lei,
    registered_at: row.registered_at,
    dissolved_at: row.dissolved_at,
    missing_since: row.missing_since,
    registered_address: { full: full || null, street, city, region, postal_code, country },
    capital: row.capital,
    activities: row.activities,
    website: row.website && readWebUrl(row.website),
    source: {
      register: row.register,
      record_url: recordUrl(row),
      retrieved_at: row.imported_at,
      licence: row.licence,
    },
    updated_at: row.updated_at,
  }
}

function recordUrl({ record_url, code, lei }: Row): string | null {
  if (record_url === null || (record_url.includes('{lei}') && lei === null)) return null
  return readWebUrl(record_url.replaceAll('{code}', encodeURIComponent(code)).replaceAll('{lei}', lei ?? ''))
}
