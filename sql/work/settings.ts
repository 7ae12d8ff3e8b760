import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'work',
  'settings',
  z.object({
    org_id: Id,
    secret: z.string(),
    previous_secret: z.string().nullable(),
    previous_until: z.date().nullable(),
    retention_days: z.number().nullable(),
    created_at: z.date(),
    rotated_at: z.date().nullable(),
  }),
)

export type Settings = z.infer<typeof table.Row>

const columns = table.columns()

export const sealPurpose = 'job secrets'

export const getSecretContext = (orgId: string) => `jobs of ${orgId}`

export const getHeadersContext = (jobId: string) => `headers of job ${jobId}`

export async function find(db: Db, orgId: string): Promise<Settings | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${columns} from work.settings where org_id = ${orgId}`)
}

/** Returns the organisations among these that have a secret. */
export async function listKnown(db: Db, orgIds: readonly string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ org_id: Id }))`
    select org_id from work.settings where org_id = any(${sql.array([...orgIds], 'uuid')})`)
}

/** Adds settings with these sealed secrets. Settings that exist stay unchanged. */
export async function insertMissing(tx: Db, rows: readonly { org_id: string; secret: string }[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insertMany(rows)} on conflict (org_id) do nothing`)
}

/** Replaces the secret. The previous secret also signs for `keepMs` milliseconds. */
export async function rotate(
  tx: Db,
  orgId: string,
  { secret, keepMs }: { secret: string; keepMs: number },
): Promise<Settings> {
  return await tx.one(sql.type(table.Row)`
    update work.settings
    set previous_secret = case when ${keepMs}::bigint > 0 then secret end,
      previous_until = case when ${keepMs}::bigint > 0 then now() + ${keepMs} * interval '1 ms' end,
      secret = ${secret}, rotated_at = now()
    where org_id = ${orgId} returning ${columns}`)
}

export async function setRetention(tx: Db, orgId: string, days: number | null): Promise<Settings> {
  return await tx.one(sql.type(table.Row)`
    update work.settings set retention_days = ${days} where org_id = ${orgId} returning ${columns}`)
}
