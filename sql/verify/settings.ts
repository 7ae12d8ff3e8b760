import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, type NewRow } from '../table.ts'

export const WhatsappTemplate = z.object({ name: z.string(), language: z.string() })

export const table = defineTable(
  'verify',
  'settings',
  z.object({
    org_id: Id,
    brand: z.string().nullable(),
    from_email: z.string().nullable(),
    whatsapp_template: WhatsappTemplate.nullable(),
    sms_sender: z.string().nullable(),
    code_length: z.number(),
    ttl: z.number(),
    max_attempts: z.number(),
    max_sends: z.number(),
    resend_after: z.number(),
    countries: z.array(z.string()),
    country_budgets: z.record(z.string(), z.number()),
    country_budget: z.number(),
    per_recipient: z.number(),
    per_network: z.number(),
    per_hour: z.number(),
    guard_required: z.boolean(),
    guard_action: z.string(),
    prefix_starts: z.number(),
    prefix_conversion: z.number(),
    prefix_block_hours: z.number(),
    updated_at: z.date(),
  }),
)

export const Settings = table.Row.omit({ org_id: true, updated_at: true })

export type Settings = z.infer<typeof Settings>

/** Settings of an organisation that has not changed any. The same as the defaults of the columns. */
export const defaults: Settings = {
  brand: null,
  from_email: null,
  whatsapp_template: null,
  sms_sender: null,
  code_length: 6,
  ttl: 600,
  max_attempts: 5,
  max_sends: 4,
  resend_after: 30,
  countries: [],
  country_budgets: {},
  country_budget: 1_000,
  per_recipient: 5,
  per_network: 30,
  per_hour: 1_000,
  guard_required: false,
  guard_action: 'verify',
  prefix_starts: 20,
  prefix_conversion: 10,
  prefix_block_hours: 24,
}

export type StoredSettings = Settings & { updated_at: Date | null }

export async function find(db: Db, orgId: string): Promise<StoredSettings> {
  const row = await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from verify.settings where org_id = ${orgId}`)
  if (!row) return { ...defaults, updated_at: null }
  const { org_id: _, ...settings } = row
  return settings
}

export async function save(tx: Db, orgId: string, settings: Settings): Promise<StoredSettings> {
  const values: NewRow<typeof table.Row> = {
    ...settings,
    countries: sql.array(settings.countries, 'text'),
    updated_at: sql.fragment`now()`,
  }
  const row = await tx.one(sql.type(table.Row)`
    ${table.insert({ org_id: orgId, ...values })}
    on conflict (org_id) do update set ${table.set(values)} returning ${table.columns()}`)
  const { org_id: _, ...saved } = row
  return saved
}
