import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import type { Table } from '../table.ts'

/** Validators from the server of a source, for conditional requests. */
export interface Validators {
  etag: string | null
  last_modified: string | null
}

/** Columns of a table of sources that Millrace fetches at an interval. */
export const scheduleColumns = {
  every_seconds: z.number(),
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  checked_at: z.date().nullable(),
  failures: z.number(),
  failed_at: z.date().nullable(),
  error: z.string().nullable(),
  created_at: z.date(),
}

interface Due {
  /** Condition for a source `s`. */
  where: FragmentSqlToken
  /** Maximum number of sources. */
  limit: FragmentSqlToken
  /** Optional `with` clause. */
  with?: FragmentSqlToken
}

/** Returns the queries of a table of sources that Millrace fetches at an interval. */
export function scheduledSources<Row extends z.ZodObject, Id extends string | number>(
  table: Table<Row>,
  id: z.ZodType<Id>,
) {
  type Source = z.infer<Row>
  const columns = table.columns()
  const row = sql.type(table.Row as unknown as z.ZodType<Source>)

  async function list(db: Db): Promise<readonly Source[]> {
    return await db.any(row`select ${columns} from ${table.name} order by name`)
  }

  async function find(db: Db, sourceId: Id): Promise<Source | null> {
    return await db.maybeOne(row`select ${columns} from ${table.name} where id = ${sourceId}`)
  }

  async function findByName(db: Db, name: string): Promise<Source | null> {
    return await db.maybeOne(row`select ${columns} from ${table.name} where name = ${name}`)
  }

  /** Returns the sources that are due, and schedules each one interval later. */
  async function takeDue(tx: Db, { where, limit, with: before = sql.fragment`` }: Due): Promise<readonly Id[]> {
    return await tx.anyFirst(sql.type(z.object({ id }))`
      ${before} update ${table.name} set next_at = now() + every_seconds * interval '1 second'
      where id in (
        select s.id from ${table.name} as s where s.next_at <= now() and ${where}
        order by s.next_at limit ${limit} for update skip locked)
      returning id`)
  }

  async function markUnchanged(db: Db, sourceId: Id): Promise<void> {
    await db.query(sql.typeAlias('void')`
      update ${table.name} set checked_at = now(), failures = 0, error = null where id = ${sourceId}`)
  }

  /** Records a failure. Schedules a retry before the next interval: after 1, 2, 4, … minutes. */
  async function saveFailure(db: Db, sourceId: Id, error: string): Promise<void> {
    await db.query(sql.typeAlias('void')`
      update ${table.name} set failures = failures + 1, failed_at = now(), error = ${error},
        next_at = now() + least(every_seconds, 60 * 2 ^ least(failures, 12)) * interval '1 second'
      where id = ${sourceId}`)
  }

  return { list, find, findByName, takeDue, markUnchanged, saveFailure }
}
