import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { everything, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, getColumns } from '../table.ts'
import { Part } from './imports.ts'

/** Number of days for which the rows of an import are kept. */
export const keepDays = 30

export const Outcome = z.enum(['imported', 'existing', 'invalid'])

export type Outcome = z.infer<typeof Outcome>

export const Issue = z.object({ field: z.string(), line: z.int().nullable(), text: z.string(), issue: z.string() })

export type Issue = z.infer<typeof Issue>

export const table = defineTable(
  'moving',
  'rows',
  z.object({
    import_id: Id,
    number: z.number(),
    org_id: Id,
    part: Part,
    external_id: z.string(),
    label: z.string(),
    user_id: z.string().nullable(),
    item: z.record(z.string(), z.unknown()).nullable(),
    outcome: Outcome.nullable(),
    reason: z.string().nullable(),
    issues: z.array(Issue),
    target_id: z.string().nullable(),
    due_at: z.date(),
    created_at: z.date(),
  }),
  { retention: days(keepDays, 'created_at') },
)

export type Row = z.infer<typeof table.Row>

export type NewRow = Pick<
  Row,
  | 'import_id'
  | 'number'
  | 'org_id'
  | 'part'
  | 'external_id'
  | 'label'
  | 'user_id'
  | 'item'
  | 'outcome'
  | 'reason'
  | 'issues'
>

const mostAtOnce = 2_000

/** Adds rows. An object that the import has already read is not added again. Returns the numbers of the new rows. */
export async function insertMany(tx: Db, rows: readonly NewRow[]): Promise<ReadonlySet<number>> {
  const added = new Set<number>()
  const now = new Date().toISOString()
  for (let from = 0; from < rows.length; from += mostAtOnce) {
    const part = rows.slice(from, from + mostAtOnce).map((row) => ({ ...row, due_at: now, created_at: now }))
    const numbers = await tx.anyFirst(sql.type(table.Row.pick({ number: true }))`
      ${table.insertMany(part)} on conflict do nothing returning number`)
    for (const number of numbers) added.add(number)
  }
  return added
}

/** Returns the highest number of the rows. The caller has locked the import. */
export async function lastNumber(tx: Db, importId: string): Promise<number> {
  return await tx.oneFirst(sql.type(z.object({ last: z.number() }))`
    select coalesce(max(number), 0) as last from moving.rows where import_id = ${importId}`)
}

/** Returns rows that wait for their turn. The caller has locked the import. */
export async function listWaiting(tx: Db, importId: string, limit: number): Promise<readonly Row[]> {
  return await tx.any(sql.type(table.Row)`
    select ${table.columns()} from moving.rows
    where import_id = ${importId} and outcome is null and due_at <= now() order by due_at, number limit ${limit}`)
}

/** Returns the seconds until the next row is due. Null if no row waits. */
export async function secondsUntilDue(db: Db, importId: string): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ seconds: z.number().nullable() }))`
    select extract(epoch from min(due_at) - now())::float8 as seconds from moving.rows
    where import_id = ${importId} and outcome is null`)
}

export type Result = Pick<Row, 'number' | 'outcome' | 'reason' | 'target_id'> & { issues?: readonly Issue[] }

/** Stores results. The data of a row with a result is deleted. Returns the number of new results by outcome. */
export async function setResults(tx: Db, importId: string, results: readonly Result[]): Promise<void> {
  if (results.length === 0) return
  const given = results.map(({ issues = [], ...result }) => ({ ...result, issues }))
  await tx.query(sql.typeAlias('void')`
    update moving.rows as r
    set outcome = g.outcome, reason = g.reason, target_id = g.target_id, issues = r.issues || g.issues, item = null
    from json_to_recordset(${JSON.stringify(given)}::json)
      as g (number integer, outcome text, reason text, target_id text, issues jsonb)
    where r.import_id = ${importId} and r.number = g.number and r.outcome is null`)
}

/** Lets a row wait, with changed data. */
export async function postpone(
  tx: Db,
  importId: string,
  number: number,
  item: Record<string, unknown>,
  seconds: number,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update moving.rows set item = ${sql.jsonb(item as never)}, due_at = now() + ${seconds} * interval '1 second'
    where import_id = ${importId} and number = ${number} and outcome is null`)
}

/** Deletes the data of all rows of an import that has ended. */
export async function clearItems(tx: Db, importId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update moving.rows set item = null where import_id = ${importId} and item is not null`)
}

export const RowView = table.Row.omit({ item: true, due_at: true, org_id: true, import_id: true, user_id: true })

export type RowView = z.infer<typeof RowView>

export const filters = { outcome: table.equals('outcome'), part: table.equals('part') }

export async function list(
  db: Db,
  importId: string,
  { where, before, limit }: Page<typeof filters, number>,
): Promise<readonly RowView[]> {
  const after = before === undefined ? everything : sql.fragment`number > ${before}`
  return await db.any(sql.type(RowView)`
    select ${getColumns(RowView)} from moving.rows
    where import_id = ${importId} and ${where} and ${after} order by number limit ${limit}`)
}

const Counted = z.object({ part: Part, outcome: Outcome.nullable(), rows: z.number(), issues: z.number() })

export type Counted = z.infer<typeof Counted>

/** Counts the rows of an import by part and outcome. */
export async function countParts(db: Db, importId: string): Promise<readonly Counted[]> {
  return await db.any(sql.type(Counted)`
    select part, outcome, count(*) as rows, count(*) filter (where issues <> '[]') as issues
    from moving.rows where import_id = ${importId} group by part, outcome order by part, outcome nulls first`)
}

/** Counts the assets whose file the provider is creating or Millrace is downloading. */
export async function countOpenAssets(db: Db, importId: string): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from moving.rows as r
    where r.import_id = ${importId} and r.part = 'assets' and (
      (r.outcome is null and r.item ? 'tries')
      or (r.outcome = 'imported' and exists (
        select from video.assets as a where a.id = r.target_id::uuid and a.status = 'uploading')))`)
}
