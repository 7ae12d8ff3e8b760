import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

export const statuses = ['active', 'in_liquidation', 'bankrupt', 'dissolved', 'unknown'] as const

const Activity = z.object({ scheme: z.string(), code: z.string(), name: z.string().nullable(), primary: z.boolean() })
const Capital = z.object({ amount: z.number(), currency: z.string() })

export const Facts = z.object({
  jurisdiction: z.string(),
  code: z.string(),
  name: z.string(),
  name_norm: z.string(),
  previous_names: z.array(z.string()),
  previous_norm: z.string().nullable(),
  status: z.enum(statuses),
  status_raw: z.string().nullable(),
  legal_form_code: z.string().nullable(),
  legal_form_name: z.string().nullable(),
  elf_code: z.string().nullable(),
  vat_number: z.string().nullable(),
  lei: z.string().nullable(),
  // Formatted as `YYYY-MM-DD`: `shown` returns it as a string.
  registered_at: z.union([z.string(), z.date()]).nullable(),
  dissolved_at: z.union([z.string(), z.date()]).nullable(),
  street: z.string().nullable(),
  city: z.string().nullable(),
  region: z.string().nullable(),
  postal_code: z.string().nullable(),
  country: z.string().nullable(),
  capital: Capital.nullable(),
  activities: z.array(Activity),
  website: z.string().nullable(),
})

export type Facts = z.infer<typeof Facts>

export const table = defineTable(
  'erp',
  'companies',
  Facts.extend({ id: Id, register: z.string(), missing_since: z.date().nullable(), updated_at: z.date() }),
)

const CompanyColumns = table.Row.omit({ name_norm: true, previous_norm: true, registered_at: true, dissolved_at: true })

export const Company = CompanyColumns.extend({
  registered_at: z.string().nullable(),
  dissolved_at: z.string().nullable(),
  licence: z.string().nullable(),
  record_url: z.string().nullable(),
  imported_at: z.date().nullable(),
})

export type Company = z.infer<typeof Company>

const registered = sql.fragment`c.registered_at::text, c.dissolved_at::text, r.licence, r.record_url, r.imported_at`

export const shownColumns = sql.fragment`${getColumns(CompanyColumns, 'c')}, ${registered}`

export async function findByCode(db: Db, codes: readonly string[]): Promise<readonly Company[]> {
  return await db.any(sql.prepared('erp.companies.findByCode', Company)`
    select ${shownColumns} from erp.companies as c join erp.registers as r on r.name = c.register
    where c.code = any (${sql.array([...codes], 'text')}) order by c.jurisdiction, c.code`)
}
