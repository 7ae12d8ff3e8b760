import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { statuses } from './companies.ts'

export const Options = z.object({
  /** Jurisdiction for entries without their own jurisdiction. */
  jurisdiction: z.string().optional(),
  licence: z.string().optional(),
  record_url: z.string().optional(),
  /** True if the file is only a part of the register. Missing companies then stay unchanged. */
  partial: z.boolean(),
  /** True to import even if too many entries would be removed. */
  anyway: z.boolean(),
  /** Minimum size in percent of the previous file. Default: 50. */
  least_percent: z.number().int().min(0).max(100).optional(),
  most_rows: z.number().int().min(1).optional(),
  /** Path of the records in a JSON file, for example `data.items`. */
  records: z.string().optional(),
  /** Millrace’s field names, each with its column or its path in a JSON record. `=text` is a constant. */
  mapping: z.record(z.string(), z.string()).optional(),
  /** Millrace’s statuses by the word of the register in lower case. */
  statuses: z.record(z.string(), z.enum(statuses)).optional(),
})

export type Options = z.infer<typeof Options>

export const Counts = z.object({
  read: z.number(),
  added: z.number(),
  changed: z.number(),
  /** Number of companies that are missing in the file. */
  missing: z.number(),
  /** Number of records that are not companies, or are faulty. */
  left_out: z.number(),
  values_left_out: z.number(),
})

export type Counts = z.infer<typeof Counts>

export const Fault = z.object({ line: z.number(), issue: z.string() })

/** ETag and date of the source's file for conditional requests, and its hash. */
export const Validators = z.object({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  sha256: z.string(),
})

export type Validators = z.infer<typeof Validators>

export type Fault = z.infer<typeof Fault>

export const table = defineTable(
  'erp',
  'imports',
  z.object({
    id: Id,
    profile: z.string(),
    register: z.string(),
    options: Options,
    file_name: z.string(),
    object_key: z.string().nullable(),
    bytes: z.number(),
    run_id: Id.nullable(),
    actor: z.string(),
    state: z.enum(['waiting', 'held', 'done', 'failed']),
    counts: Counts.nullable(),
    faults: z.array(Fault),
    error: z.string().nullable(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
    source_id: Id.nullable(),
    source_version: z.number().nullable(),
    validators: Validators.nullable(),
    is_first: z.boolean(),
    told_to: Id.nullable(),
  }),
)

export type Import = z.infer<typeof table.Row>

const ImportProgress = table.Row.extend({ progress: z.number().nullable(), run_state: z.string().nullable() })

export type ImportProgress = z.infer<typeof ImportProgress>

export async function find(db: Db, id: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from erp.imports where id = ${id}`)
}

export type NewImport = Pick<
  Import,
  'id' | 'profile' | 'register' | 'options' | 'file_name' | 'object_key' | 'bytes' | 'actor'
> &
  Partial<Pick<Import, 'source_id' | 'source_version' | 'validators'>>

export async function insert(tx: Db, row: NewImport): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
}

export async function filterExisting(db: Db, ids: readonly string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from erp.imports where id = any (${sql.array([...ids], 'uuid')})`)
}

export async function recordRun(tx: Db, id: string, runId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update erp.imports set run_id = ${runId} where id = ${id}`)
}

const watched = sql.fragment`select ${table.columns('i')}, r.progress::float8, r.state as run_state
  from erp.imports as i left join jobs.runs as r on r.id = i.run_id`

export async function watch(db: Db, id: string): Promise<ImportProgress | null> {
  return await db.maybeOne(sql.type(ImportProgress)`${watched} where i.id = ${id}`)
}

export async function latest(db: Db, limit: number): Promise<readonly ImportProgress[]> {
  return await db.any(sql.type(ImportProgress)`${watched} order by i.id desc limit ${limit}`)
}

/** Results of an import, and whether the register is new. */
export interface Outcome {
  counts: Counts
  faults: readonly Fault[]
  isFirst: boolean
}

export async function finish(tx: Db, id: string, { counts, faults, isFirst }: Outcome): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'done', counts = ${sql.jsonb(counts)}, faults = ${sql.jsonb([...faults])},
      is_first = ${isFirst}, error = null, finished_at = now()
    where id = ${id}`)
}

/** Holds an import for an operator’s decision. Earlier held imports of the source are superseded. */
export async function hold(tx: Db, { id, source_id }: Import, error: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update erp.imports set state = 'held', error = ${error} where id = ${id}`)
  if (source_id !== null) await supersede(tx, source_id, id)
}

export async function supersede(tx: Db, sourceId: string, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'failed', error = 'A later file of its source has come.', finished_at = now()
    where source_id = ${sourceId} and state = 'held' and id < ${id}`)
}

export async function confirm(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'waiting', error = null, options = options || '{"anyway": true}'
    where id = ${id} and state = 'held'`)
  return rowCount > 0
}

export async function refuse(tx: Db, id: string, actor: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'failed', error = ${`${actor} rejected the file.`}, finished_at = now()
    where id = ${id} and state = 'held'`)
  return rowCount > 0
}

/** Locks an import whose changes must be reported. Returns the last notified organisation. */
export async function lockForNotification(tx: Db, id: string): Promise<string | null> {
  return await tx.oneFirst(sql.type(table.Row.pick({ told_to: true }))`
    select told_to from erp.imports where id = ${id} for update`)
}

export async function recordNotified(tx: Db, id: string, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update erp.imports set told_to = ${orgId} where id = ${id}`)
}

export async function fail(db: Db, id: string, error: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update erp.imports set state = 'failed', error = ${error}, finished_at = now() where id = ${id} and state = 'waiting'`)
  return rowCount > 0
}

export async function revive(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'waiting', error = null, finished_at = null
    where id = ${id} and state = 'failed' and object_key is not null`)
  return rowCount > 0
}

/** Returns imports whose files are no longer needed: completed imports, and imports that failed days ago. */
export async function listForgettable(
  db: Db,
  days: number,
  limit: number,
): Promise<readonly { id: string; object_key: string }[]> {
  return await db.any(sql.type(z.object({ id: Id, object_key: z.string() }))`
    select id, object_key from erp.imports
    where object_key is not null and (state = 'done' or finished_at < now() - ${days} * interval '1 day')
    limit ${limit}`)
}

export async function forgetFile(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update erp.imports set object_key = null where id = ${id}`)
}
