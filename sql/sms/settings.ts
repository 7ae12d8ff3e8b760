import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'sms',
  'settings',
  z.object({
    org_id: Id,
    countries: z.array(z.string()).nullable(),
    allow_premium: z.boolean(),
    stop_scope: z.enum(['organisation', 'sender']),
    stop_text: z.string().nullable(),
    start_text: z.string().nullable(),
    help_text: z.string().nullable(),
    updated_at: z.date(),
  }),
)

export type Settings = z.infer<typeof table.Row>

export type GivenSettings = Omit<Settings, 'org_id' | 'updated_at'>

export const defaults: GivenSettings = {
  countries: null,
  allow_premium: false,
  stop_scope: 'organisation',
  stop_text: null,
  start_text: null,
  help_text: null,
}

export type CurrentSettings = GivenSettings & { updated_at: Date | null }

export async function find(db: Db, orgId: string): Promise<CurrentSettings> {
  return (await findMany(db, [orgId]))(orgId)
}

export async function findMany(db: Db, orgIds: readonly string[]): Promise<(orgId: string) => CurrentSettings> {
  const rows = await db.any(sql.type(table.Row)`
    select ${table.columns()} from sms.settings where org_id = any(${sql.array([...new Set(orgIds)], 'uuid')})`)
  const known = new Map(rows.map((row) => [row.org_id, row]))
  return (orgId) => known.get(orgId) ?? { ...defaults, updated_at: null }
}

export async function put(tx: Db, orgId: string, { countries, ...given }: GivenSettings): Promise<Settings> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ org_id: orgId, ...given, ...(countries && { countries: sql.array([...countries], 'text') }) })}
    on conflict (org_id) do update set countries = excluded.countries, allow_premium = excluded.allow_premium,
      stop_scope = excluded.stop_scope, stop_text = excluded.stop_text, start_text = excluded.start_text,
      help_text = excluded.help_text, updated_at = now()
    returning ${table.columns()}`)
}
