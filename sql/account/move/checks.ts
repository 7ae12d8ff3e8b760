import { z } from 'zod'
import { omitFormer } from '../../baselines.ts'
import { type Db, sql } from '../../db.ts'
import { tableOf } from './owned-rows.ts'

/** Returns the migrations that a database has run since the baselines, so that upgraded and new cells are alike. */
export async function listMigrations(db: Db): Promise<readonly string[]> {
  const Row = z.object({ name: z.string() })
  return omitFormer(await db.anyFirst(sql.type(Row)`select name from public.migrations order by run_on, id`))
}

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
