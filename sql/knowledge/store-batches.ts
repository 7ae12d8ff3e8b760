import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { FileStatus } from './store-files.ts'

/** Files that were added to a vector store in one request. */
export const table = defineTable(
  'knowledge',
  'store_batches',
  z.object({
    id: Id,
    org_id: Id,
    store_id: Id,
    cancelled_at: z.date().nullable(),
    created_at: z.date(),
  }),
  { retention: days(7, 'created_at') },
)

const Batch = table.Row.extend({ counts: z.partialRecord(FileStatus, z.number()) })

export type Batch = z.infer<typeof Batch>

export async function insert(tx: Db, batch: Pick<Batch, 'id' | 'org_id' | 'store_id'>): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(batch)}`)
}

export async function find(db: Db, storeId: string, id: string): Promise<Batch | null> {
  return await db.maybeOne(sql.type(Batch)`
    select ${table.columns('b')}, (
      select coalesce(jsonb_object_agg(c.status, c.count), '{}') from (
        select status, count(*)::int4 as count from knowledge.store_files where batch_id = b.id group by status
      ) as c) as counts
    from knowledge.store_batches as b where b.id = ${id} and b.store_id = ${storeId}`)
}

/** Cancels the files of a batch that are not read yet. Returns false if the batch does not exist. */
export async function cancel(tx: Db, storeId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update knowledge.store_batches set cancelled_at = coalesce(cancelled_at, now())
    where id = ${id} and store_id = ${storeId}`)
  if (rowCount === 0) return false
  await tx.query(sql.typeAlias('void')`
    update knowledge.store_files set status = 'cancelled', try = try + 1
    where id = any(array(
      select id from knowledge.store_files where batch_id = ${id} and status = 'in_progress' order by id for update))`)
  return true
}
