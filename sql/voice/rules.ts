import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'voice',
  'rules',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    countries: z.array(z.string()).nullable(),
    max_concurrent: z.number().nullable(),
    max_per_day: z.number().nullable(),
    updated_at: z.date(),
  }),
)

export type Rule = z.infer<typeof table.Row>

const columns = table.columns()

export async function findRules(
  db: Db,
  orgId: string,
  keyId: string,
): Promise<{ org: Rule | undefined; key: Rule | undefined }> {
  const found = await db.any(sql.type(table.Row)`
    select ${columns} from voice.rules where org_id = ${orgId} and (key_id is null or key_id = ${keyId})`)
  return { org: found.find(({ key_id }) => key_id === null), key: found.find(({ key_id }) => key_id !== null) }
}

export async function set(
  db: Db,
  rule: Pick<Rule, 'org_id' | 'key_id'> & Partial<Pick<Rule, 'countries' | 'max_concurrent' | 'max_per_day'>>,
): Promise<Rule> {
  const list = rule.countries ? sql.array(rule.countries, 'text') : null
  return await db.one(sql.type(table.Row)`
    insert into voice.rules as r (id, org_id, key_id, countries, max_concurrent, max_per_day)
    values (${newId()}, ${rule.org_id}, ${rule.key_id}, ${list}, ${rule.max_concurrent ?? null}, ${rule.max_per_day ?? null})
    on conflict (org_id, key_id) do update set
      countries = coalesce(excluded.countries, r.countries),
      max_concurrent = coalesce(excluded.max_concurrent, r.max_concurrent),
      max_per_day = coalesce(excluded.max_per_day, r.max_per_day), updated_at = now()
    returning ${columns}`)
}
