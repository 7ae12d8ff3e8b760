import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'ai',
  'audio',
  z.object({ id: Id, n: z.number(), org_id: Id, data: z.instanceof(Buffer), created_at: z.date() }),
  // A part has up to 1 MiB.
  { retention: hours(1, 'created_at', { batch: 100 }) },
)

export type AudioPart = Pick<z.infer<typeof table.Row>, 'id' | 'n' | 'org_id' | 'data'>

export async function addPart(db: Db, { id, n, org_id, data }: AudioPart): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into ai.audio (id, n, org_id, data) values (${id}, ${n}, ${org_id}, ${sql.binary(data)})`)
}

/** Returns part `n` of a file, starting from 0. `null` after the last part. */
export async function findPart(db: Db, id: string, n: number): Promise<Buffer | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ data: true }))`
    select data from ai.audio where id = ${id} and n = ${n}`)
}

export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from ai.audio where id = ${id}`)
}
