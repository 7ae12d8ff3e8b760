import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { scheduleColumns, scheduledSources } from '../sources/schedule.ts'
import { defineTable } from '../table.ts'
import { Options, type Validators } from './imports.ts'

export const table = defineTable(
  'erp',
  'sources',
  z.object({
    id: Id,
    name: z.string(),
    profile: z.string(),
    register: z.string(),
    url: z.string(),
    options: Options,
    most_bytes: z.number(),
    version: z.number(),
    paused: z.boolean(),
    sha256: z.string().nullable(),
    import_id: Id.nullable(),
    next_at: z.date(),
    ...scheduleColumns,
  }),
)

export type Source = z.infer<typeof table.Row>

export type NewSource = Pick<
  Source,
  'id' | 'name' | 'profile' | 'register' | 'url' | 'options' | 'every_seconds' | 'most_bytes'
>

const scheduled = scheduledSources(table, Id)

export const { list, find, findByName, markUnchanged, saveFailure } = scheduled

/** Adds a source that is due immediately. If the source exists, it is updated, and its next file is always read. */
export async function put(tx: Db, source: NewSource): Promise<Source> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert(source)}
    on conflict (name) do update set profile = excluded.profile, register = excluded.register, url = excluded.url,
      options = excluded.options, every_seconds = excluded.every_seconds, most_bytes = excluded.most_bytes,
      version = sources.version + 1,
      etag = null, last_modified = null, sha256 = null, next_at = now(), failures = 0, error = null
    returning ${table.columns()}`)
}

export async function pause(tx: Db, name: string, paused: boolean): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.sources set paused = ${paused}, next_at = greatest(next_at, now()) where name = ${name}`)
  return rowCount > 0
}

export async function remove(tx: Db, name: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`delete from erp.sources where name = ${name}`)
  return rowCount > 0
}

/**
 * Returns due sources, as long as fewer than `most` are being fetched or read. Each source is due again one interval
 * later. A source in progress is not returned until it has ended.
 */
export async function takeDue(tx: Db, most: number): Promise<readonly string[]> {
  return await scheduled.takeDue(tx, {
    with: sql.fragment`with busy as materialized (
      select s.id from erp.sources as s
      where exists (select from erp.imports as i where i.source_id = s.id and i.state = 'waiting')
        or exists (select from jobs.runs as r where r.subject = s.id and r.task = 'erp/fetch' and r.state in ('waiting', 'running')))`,
    where: sql.fragment`not s.paused and s.id not in (select id from busy)`,
    limit: sql.fragment`greatest(0, ${most} - (select count(*) from busy))`,
  })
}

/** A source, in the version that a worker read. */
type Told = Pick<Source, 'id' | 'version'>

/** Records that the file was fetched and is being imported. Returns false if the source was changed or removed. */
export async function recordFetched(tx: Db, { id, version }: Told, importId: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update erp.sources set checked_at = now(), import_id = ${importId} where id = ${id} and version = ${version}`)
  return rowCount > 0
}

/** Records the imported file, so that it is not read again unless the source is changed. */
export async function recordRead(
  tx: Db,
  { id, version }: Told,
  { etag, last_modified, sha256 }: Validators,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.sources set etag = ${etag}, last_modified = ${last_modified}, sha256 = ${sha256}, failures = 0, error = null
    where id = ${id} and version = ${version}`)
}

/** Records that the file cannot be read. It is fetched again on schedule, because an earlier retry does not help. */
export async function recordUnreadable(tx: Db, id: string, error: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update erp.sources set failures = failures + 1, failed_at = now(), error = ${error} where id = ${id}`)
}
