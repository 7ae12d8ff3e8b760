import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { statuses } from './companies.ts'

/** What operators say of an import, beside its profile. */
export const Options = z.object({
  /** Of entries that do not say theirs. */
  jurisdiction: z.string().optional(),
  licence: z.string().optional(),
  record_url: z.string().optional(),
  /** The file is a part of the register: what is not in it stays. */
  partial: z.boolean(),
  /** Also when more of the register would go than may. */
  anyway: z.boolean(),
  /** Percent of the companies before that a file must have at least; half of them unless said. */
  least_percent: z.number().int().min(0).max(100).optional(),
  /** Records that a file may have. */
  most_rows: z.number().int().min(1).optional(),
  /** Where the records of a JSON file lie, such as `data.items`. */
  records: z.string().optional(),
  /** Our names of values, each with the column, or the path in a record of JSON, that has it; `=text` is that text. */
  mapping: z.record(z.string(), z.string()).optional(),
  /** Our statuses by the register's words, in small letters. */
  statuses: z.record(z.string(), z.enum(statuses)).optional(),
})

/** What operators say of an import, beside its profile. */
export type Options = z.infer<typeof Options>

/** What an import has come to. */
export const Counts = z.object({
  /** Companies that were read. */
  read: z.number(),
  added: z.number(),
  changed: z.number(),
  /** Those that are in the file no more. */
  missing: z.number(),
  /** Records that were left out, as they are no companies, or faulty. */
  left_out: z.number(),
  /** Values of companies that were left out, as they are faulty. */
  values_left_out: z.number(),
})

export type Counts = z.infer<typeof Counts>

/** A record of which something was left out. */
export const Fault = z.object({ line: z.number(), issue: z.string() })

/** What a source's keeper told of its file, to ask again by, and what it was. */
export const Validators = z.object({
  etag: z.string().nullable(),
  last_modified: z.string().nullable(),
  sha256: z.string(),
})

/** What a source's keeper told of its file, to ask again by, and what it was. */
export type Validators = z.infer<typeof Validators>

/** A record of which something was left out. */
export type Fault = z.infer<typeof Fault>

/** Files of registers that operators gave, or sources. */
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

/** An import of a register's file. */
export type Import = z.infer<typeof table.Row>

const ImportProgress = table.Row.extend({ progress: z.number().nullable(), run_state: z.string().nullable() })

/** An import and how far it is. */
export type ImportProgress = z.infer<typeof ImportProgress>

export async function find(db: Db, id: string): Promise<Import | null> {
  return await db.maybeOne(sql.type(table.Row)`select ${table.columns()} from erp.imports where id = ${id}`)
}

/** What an operator, or a source, gave to be imported. */
export type NewImport = Pick<
  Import,
  'id' | 'profile' | 'register' | 'options' | 'file_name' | 'object_key' | 'bytes' | 'actor'
> &
  Partial<Pick<Import, 'source_id' | 'source_version' | 'validators'>>

export async function insert(tx: Db, row: NewImport): Promise<void> {
  await tx.query(sql.typeAlias('void')`${table.insert(row)}`)
}

/** Which of these imports there are. */
export async function known(db: Db, ids: readonly string[]): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from erp.imports where id = any (${sql.array([...ids], 'uuid')})`)
}

export async function noteRun(tx: Db, id: string, runId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update erp.imports set run_id = ${runId} where id = ${id}`)
}

const watched = sql.fragment`select ${table.columns('i')}, r.progress::float8, r.state as run_state
  from erp.imports as i left join jobs.runs as r on r.id = i.run_id`

/** One import and how far it is. */
export async function watch(db: Db, id: string): Promise<ImportProgress | null> {
  return await db.maybeOne(sql.type(ImportProgress)`${watched} where i.id = ${id}`)
}

export async function latest(db: Db, limit: number): Promise<readonly ImportProgress[]> {
  return await db.any(sql.type(ImportProgress)`${watched} order by i.id desc limit ${limit}`)
}

/** What an import has come to, and whether its register was unknown before. */
export interface Outcome {
  counts: Counts
  faults: readonly Fault[]
  isFirst: boolean
}

/** Notes that an import has taken effect. */
export async function finish(tx: Db, id: string, { counts, faults, isFirst }: Outcome): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'done', counts = ${sql.jsonb(counts)}, faults = ${sql.jsonb([...faults])},
      is_first = ${isFirst}, error = null, finished_at = now()
    where id = ${id}`)
}

/** Notes that an import waits for an operator's word; those of its source that waited for one before are superseded. */
export async function hold(tx: Db, { id, source_id }: Import, error: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update erp.imports set state = 'held', error = ${error} where id = ${id}`)
  if (source_id !== null) await supersede(tx, source_id, id)
}

/** Ends the imports of a source that wait for an operator's word, as a later file has come. */
export async function supersede(tx: Db, sourceId: string, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'failed', error = 'A later file of its source has come.', finished_at = now()
    where source_id = ${sourceId} and state = 'held' and id < ${id}`)
}

/** Has an import that was held take effect, whatever would go; false when none of that id is held. */
export async function confirm(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'waiting', error = null, options = options || '{"anyway": true}'
    where id = ${id} and state = 'held'`)
  return rowCount > 0
}

/** Ends an import that was held; false when none of that id is. */
export async function refuse(tx: Db, id: string, actor: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'failed', error = ${`${actor} rejected the file.`}, finished_at = now()
    where id = ${id} and state = 'held'`)
  return rowCount > 0
}

/** Locks an import that has organisations to be told of it; the last one that was. */
export async function lockTelling(tx: Db, id: string): Promise<string | null> {
  return await tx.oneFirst(sql.type(table.Row.pick({ told_to: true }))`
    select told_to from erp.imports where id = ${id} for update`)
}

/** Notes the last organisation that was told of an import. */
export async function noteTold(tx: Db, id: string, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`update erp.imports set told_to = ${orgId} where id = ${id}`)
}

/** Notes why an import has not taken effect; false when it does not wait any more. */
export async function fail(db: Db, id: string, error: string): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    update erp.imports set state = 'failed', error = ${error}, finished_at = now() where id = ${id} and state = 'waiting'`)
  return rowCount > 0
}

/** Has a failed import wait again; false when its file is forgotten. */
export async function revive(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.imports set state = 'waiting', error = null, finished_at = null
    where id = ${id} and state = 'failed' and object_key is not null`)
  return rowCount > 0
}

/** Imports whose files are needed no more: those that are done, and those that failed days ago. */
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

/** Notes that an import's file is gone. */
export async function forgetFile(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`update erp.imports set object_key = null where id = ${id}`)
}
