import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const Action = z.enum(['deleted', 'anonymised', 'kept'])

export type Action = z.infer<typeof Action>

/** The receipt of an erasure by table. */
export const table = defineTable(
  'people',
  'erasure_tables',
  z.object({
    erasure_id: Id,
    name: z.string(),
    action: Action,
    rows: z.number(),
    pass: z.number(),
    done_at: z.date().nullable(),
  }),
)

export type ErasedTable = z.infer<typeof table.Row>

type Named = Pick<ErasedTable, 'erasure_id' | 'name' | 'action'>

/** Adds to the count of a table. With `pass`, the table is complete in that pass. */
export async function count(
  tx: Db,
  { erasure_id, name, action }: Named,
  rows: number,
  pass: number | null,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    insert into people.erasure_tables as t (erasure_id, name, action, rows, pass, done_at)
    values (${erasure_id}, ${name}, ${action}, ${rows}, ${pass ?? 0}, case when ${pass !== null} then now() end)
    on conflict (erasure_id, name, action) do update
    set rows = t.rows + excluded.rows, pass = greatest(t.pass, excluded.pass), done_at = coalesce(excluded.done_at, t.done_at)`)
}

/** Returns true if a table is complete in a pass. */
export async function isDone(tx: Db, { erasure_id, name, action }: Named, pass: number): Promise<boolean> {
  return await tx.exists(sql.type(table.Row.pick({ name: true }))`
    select name from people.erasure_tables
    where erasure_id = ${erasure_id} and name = ${name} and action = ${action} and pass >= ${pass}`)
}

export async function list(db: Db, erasureId: string): Promise<readonly ErasedTable[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from people.erasure_tables where erasure_id = ${erasureId} order by name, action`)
}

/** Returns the number of rows of a receipt. The number is the same as before a pass that finds nothing. */
export async function total(tx: Db, erasureId: string): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`
    select coalesce(sum(rows), 0) as count from people.erasure_tables where erasure_id = ${erasureId}`)
}
