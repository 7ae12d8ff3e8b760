import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Tickets of the page without script that are spent. */
export const table = defineTable('guard', 'tickets', z.object({ id: Id, spent_at: z.date() }))

/** Spends a ticket; false when it is spent. */
export async function spend(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    ${table.insert({ id })} on conflict (id) do nothing`)
  return rowCount === 1
}

/** Forgets tickets that were spent `hours` ago and are over since, at most `limit`; returns how many. */
export async function prune(db: Db, hours: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from guard.tickets where ctid in (
      select ctid from guard.tickets where spent_at < now() - ${hours} * interval '1 hour' limit ${limit})`)
  return rowCount
}
