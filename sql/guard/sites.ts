import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { defineTable } from '../table.ts'

export const tiers = ['low', 'normal', 'high', 'extreme'] as const

export const Tier = z.enum(tiers)

export type Tier = z.infer<typeof Tier>

export const Policy = z.object({
  min_tier: Tier,
  max_tier: Tier,
  noscript: z.boolean(),
  sha256: z.boolean(),
  rate_per_minute: z.int(),
})

export type Policy = z.infer<typeof Policy>

export const table = defineTable(
  'guard',
  'sites',
  z.object({
    id: Id,
    org_id: Id,
    name: z.string(),
    site_key: z.string(),
    origins: z.array(z.string()),
    policy: Policy,
    created_at: z.date(),
  }),
)

export type Site = z.infer<typeof table.Row>

const columns = table.columns()

export async function insert(tx: Db, site: Omit<Site, 'created_at'>): Promise<Site> {
  const row = { ...site, origins: sql.array(site.origins, 'text') }
  return await tx.one(sql.type(table.Row)`${table.insert(row)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Site | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from guard.sites where id = ${id} and org_id = ${orgId}`)
}

export async function list(db: Db, orgId: string, { before, limit }: Part): Promise<readonly Site[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from guard.sites
    where org_id = ${orgId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

export async function update(tx: Db, site: Site): Promise<Site> {
  return await tx.one(sql.type(table.Row)`
    update guard.sites
    set name = ${site.name}, site_key = ${site.site_key}, origins = ${sql.array(site.origins, 'text')},
      policy = ${sql.jsonb(site.policy)}
    where id = ${site.id} returning ${columns}`)
}

export async function lock(tx: Db, orgId: string, id: string): Promise<Site | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from guard.sites where id = ${id} and org_id = ${orgId} for update`)
}

export async function remove(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from guard.sites where id = ${id} and org_id = ${orgId}`)
  return rowCount === 1
}
