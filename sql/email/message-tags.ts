import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'email',
  'message_tags',
  z.object({ message_id: Id, org_id: Id, name: z.string(), value: z.string() }),
)

export async function insertMany(tx: Db, rows: readonly z.infer<typeof table.Row>[]): Promise<void> {
  if (rows.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}
