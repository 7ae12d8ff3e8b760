import { z } from 'zod'
import { FallbacksByModel } from '#lib/config/ai-fallbacks.ts'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'ai',
  'settings',
  z.object({
    org_id: Id,
    cache_seconds: z.number().nullable(),
    fallbacks: FallbacksByModel,
    updated_at: z.date(),
  }),
)

export type AiSettings = z.infer<typeof table.Row>

export async function find(db: Db, orgId: string): Promise<AiSettings | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from ai.settings where org_id = ${orgId}`)
}

export async function put(tx: Db, settings: Omit<AiSettings, 'updated_at'>): Promise<AiSettings> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert(settings)}
    on conflict (org_id) do update set cache_seconds = excluded.cache_seconds, fallbacks = excluded.fallbacks,
      updated_at = now()
    returning ${table.columns()}`)
}
