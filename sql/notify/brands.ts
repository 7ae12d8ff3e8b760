import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

/** Looks of the emails of products, for emails without a template. */
export const table = defineTable(
  'notify',
  'brands',
  z.object({
    id: Id,
    org_id: Id,
    product_key: z.string(),
    name: z.string(),
    logo_url: z.string().nullable(),
    color: z.string().nullable(),
    footer: z.string().nullable(),
    /** ID or alias of a layout of the email area. `null` for the built-in layout. */
    layout_id: z.string().nullable(),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Brand = table.Row

export type Brand = z.infer<typeof Brand>

export type BrandKey = Pick<Brand, 'org_id' | 'product_key'>

export async function put(db: Db, brand: Omit<Brand, 'id' | 'created_at' | 'updated_at'>): Promise<Brand> {
  const { org_id: _, product_key: __, ...looks } = brand
  return await db.one(sql.type(Brand)`
    ${table.insert({ id: newId(), ...brand })}
    on conflict (org_id, product_key) do update set ${table.set({ ...looks, updated_at: sql.fragment`now()` })}
    returning ${table.columns()}`)
}

export async function find(db: Db, { org_id, product_key }: BrandKey): Promise<Brand | null> {
  return await db.maybeOne(sql.type(Brand)`
    select ${table.columns()} from notify.brands where org_id = ${org_id} and product_key = ${product_key}`)
}

export async function findMany(db: Db, wanted: readonly BrandKey[]): Promise<readonly Brand[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Brand)`
    select distinct on (b.id) ${table.columns('b')} from notify.brands as b
    join ${sql.unnest(
      wanted.map(({ org_id, product_key }) => [org_id, product_key]),
      ['uuid', 'text'],
    )} as w (org_id, product_key) on b.org_id = w.org_id and b.product_key = w.product_key`)
}

export const filters = { product_key: table.equals('product_key') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Brand[]> {
  return await db.any(sql.type(Brand)`
    select ${table.columns()} from notify.brands
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export async function count(db: Db, orgId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`select count(*) from notify.brands where org_id = ${orgId}`)
}

export async function remove(db: Db, { org_id, product_key }: BrandKey): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from notify.brands where org_id = ${org_id} and product_key = ${product_key}`)
  return rowCount > 0
}
