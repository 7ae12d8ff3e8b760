import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Number of days for which the rows of an import and their results are kept. */
export const keepDays = 30

/** `unsubscribed`: the contact has unsubscribed, so the consent has no effect. */
export const Outcome = z.enum(['imported', 'existing', 'unsubscribed', 'invalid'])

export type Outcome = z.infer<typeof Outcome>

export const table = defineTable(
  'email',
  'import_rows',
  z.object({
    import_id: Id,
    line: z.number(),
    org_id: Id,
    fields: z.record(z.string(), z.string()),
    email: z.string().nullable(),
    outcome: Outcome.nullable(),
    reason: z.string().nullable(),
    created_at: z.date(),
  }),
  { retention: days(keepDays, 'created_at') },
)

export type ImportRow = z.infer<typeof table.Row>

export type NewImportRow = Omit<ImportRow, 'email' | 'created_at'>

const mostAtOnce = 5_000

export async function insertMany(tx: Db, rows: readonly NewImportRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += mostAtOnce)
    await tx.query(sql.typeAlias('void')`${table.insertMany(rows.slice(from, from + mostAtOnce))}`)
}

/** Returns the next rows that wait. The caller has locked the import. */
export async function listWaiting(tx: Db, importId: string, limit: number): Promise<readonly ImportRow[]> {
  return await tx.any(sql.type(table.Row)`
    select ${table.columns()} from email.import_rows where import_id = ${importId} and outcome is null
    order by line limit ${limit}`)
}

export type Result = Pick<ImportRow, 'line' | 'email' | 'outcome' | 'reason'>

export async function setResults(tx: Db, importId: string, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update email.import_rows as r set email = g.email, outcome = g.outcome, reason = g.reason
    from json_to_recordset(${JSON.stringify(results)}::json) as g (line integer, email text, outcome text, reason text)
    where r.import_id = ${importId} and r.line = g.line`)
}

export const filters = { outcome: table.equals('outcome') }

/** Returns rows in the order of their lines, after the line `before`. */
export async function list(
  db: Db,
  importId: string,
  { where, before, limit }: Page<typeof filters, number>,
): Promise<readonly ImportRow[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from email.import_rows
    where import_id = ${importId} and line > ${before ?? 0} and ${where} order by line limit ${limit}`)
}
