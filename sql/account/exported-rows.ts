import { z } from 'zod'
import type { DatabasePool } from '../db.ts'
import { sql } from '../db.ts'
import { joined, type Reference } from './move/owned-rows.ts'

const batch = 500

const Row = z.record(z.string(), z.unknown())

/**
 * Rows to read: the rows at the end of a chain of references, or the rows of the table itself if the chain is empty.
 */
export interface RowSelection {
  root: string
  chain: readonly Reference[]
  columns: readonly string[]
  orgId: string
  order?: string | undefined
}

/**
 * Reads all rows of an organisation in one snapshot, a few hundred at a time, at the speed of the consumer. Without an
 * index by organisation, it scans the whole table.
 */
export async function readAll(
  db: DatabasePool,
  { root, chain, columns, orgId, order }: RowSelection,
  take: (rows: readonly z.infer<typeof Row>[]) => Promise<void>,
): Promise<number> {
  const last = `t${chain.length}`
  const wanted = columns.map((column) => sql.identifier([last, column]))
  return await db.transaction(async (tx) => {
    await tx.query(sql.unsafe`select set_config('statement_timeout', '10min', true),
      set_config('idle_in_transaction_session_timeout', '10min', true)`)
    const ordered = order ? sql.fragment`order by ${sql.identifier([last, order])}` : sql.fragment``
    // A cursor declaration cannot have parameters.
    const id = sql.literalValue(orgId)
    await tx.query(sql.unsafe`
      declare rows_of_organisation no scroll cursor for
      select ${sql.join(wanted, sql.fragment`, `)} ${joined(root, chain)} where t0.org_id = ${id} ${ordered}`)
    for (let count = 0; ; ) {
      const rows = await tx.any(sql.type(Row)`fetch 500 from rows_of_organisation`)
      if (rows.length > 0) await take(rows)
      count += rows.length
      if (rows.length < batch) return count
    }
  })
}
