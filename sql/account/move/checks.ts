import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { tableOf } from './owned-rows.ts'

export const listMigrations = (db: Db): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from public.migrations order by name`)

export async function findSealed(
  db: Db,
  table: string,
  column: string,
  mark: string,
): Promise<{ ours: boolean; others: boolean }> {
  const value = sql.identifier([column])
  return await db.one(sql.type(z.object({ ours: z.boolean(), others: z.boolean() }))`
    select exists (select from ${tableOf(table)} where starts_with(${value}, ${mark})) as ours,
      exists (select from ${tableOf(table)} where ${value} like '1.%' and not starts_with(${value}, ${mark})) as others`)
}
