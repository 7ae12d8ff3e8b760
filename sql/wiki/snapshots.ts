import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

export const table = defineTable(
  'wiki',
  'snapshots',
  z.object({
    id: Id,
    org_id: Id,
    source_id: Id,
    status: z.enum(['pending', 'ok', 'failed']),
    final_url: z.string().nullable(),
    http_status: z.number().nullable(),
    content_type: z.string().nullable(),
    title: z.string().nullable(),
    size: z.number().nullable(),
    sha256: z.string().nullable(),
    text_sha256: z.string().nullable(),
    text_length: z.number().nullable(),
    unchanged: z.boolean().nullable(),
    error_code: z.string().nullable(),
    error_message: z.string().nullable(),
    requested_at: z.date(),
    captured_at: z.date().nullable(),
    last_checked_at: z.date().nullable(),
    bytes_pruned_at: z.date().nullable(),
  }),
)

/**
 * Version of the rules for reading texts (tasks/wiki/rules/normal-text.ts). Snapshots that were read with older rules
 * are read again before they prove a claim.
 */
export const readingVersion = 1

export type Snapshot = z.infer<typeof table.Row>

const columns = table.columns()

/** Requests a snapshot of each source. If a snapshot of a source is already pending, returns it. */
export async function request(
  tx: Db,
  orgId: string,
  sourceIds: readonly string[],
): Promise<readonly { snapshot: Snapshot; isNew: boolean }[]> {
  const asked = sourceIds.map((source_id) => ({ id: newId(), source_id }))
  const ids = new Set(asked.map(({ id }) => id))
  const rows = await tx.any(sql.type(table.Row)`
    insert into wiki.snapshots (id, org_id, source_id)
    select id, ${orgId}, source_id from json_to_recordset(${JSON.stringify(asked)}::json) as asked (id uuid, source_id uuid)
    order by source_id
    on conflict (source_id) where status = 'pending' do update set source_id = excluded.source_id
    returning ${columns}`)
  return rows.map((snapshot) => ({ snapshot, isNew: ids.has(snapshot.id) }))
}

/** Returns the snapshot of an ID, following requests that were identical to an existing one. */
const known = (id: string) =>
  sql.fragment`coalesce((select snapshot_id from wiki.snapshot_checks where id = ${id}), ${id})`

/** Finds a snapshot by its ID or by the ID of a request that was identical to it. */
export async function find(db: Db, orgId: string, id: string): Promise<Snapshot | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.snapshots where id = ${known(id)} and org_id = ${orgId}`)
}

export async function lockForRemoval(tx: Db, orgId: string, id: string): Promise<Snapshot | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.snapshots where id = ${id} and org_id = ${orgId} for update`)
}

export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.snapshots where id = ${id}`)
}

export async function findText(db: Db, id: string): Promise<string | null> {
  return await db.oneFirst(sql.type(z.object({ text: z.string().nullable() }))`
    select text from wiki.snapshots where id = ${id}`)
}

export async function list(
  db: Db,
  sourceId: string,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<readonly Snapshot[]> {
  return await db.any(sql.type(table.Row)`
    select ${columns} from wiki.snapshots
    where source_id = ${sourceId} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

const PendingSnapshot = table.Row.pick({ id: true, org_id: true, source_id: true, requested_at: true }).extend({
  url: z.string(),
})

export type PendingSnapshot = z.infer<typeof PendingSnapshot>

export async function findPending(db: Db, id: string): Promise<PendingSnapshot | null> {
  return await db.maybeOne(sql.type(PendingSnapshot)`
    select p.id, p.org_id, p.source_id, p.requested_at, s.canonical_url as url
    from wiki.snapshots as p join wiki.sources as s on s.id = p.source_id where p.id = ${id} and p.status = 'pending'`)
}

export type Capture = Pick<Snapshot, 'final_url' | 'http_status' | 'content_type' | 'title' | 'size' | 'sha256'> & {
  text: string | null
  text_sha256: string | null
  text_length: number | null
  normal_text: string | null
  page_ends: number[] | null
}

export const pageEnds = ({ page_ends }: Pick<Capture, 'page_ends'>) =>
  page_ends === null ? sql.fragment`null` : sql.array(page_ends, 'int4')

/** Ends a pending snapshot with its capture. Returns false if it has already ended. */
export async function end(tx: Db, id: string, captured: Capture): Promise<boolean> {
  const { final_url, http_status, content_type, title, size, sha256, text, text_sha256, text_length, normal_text } =
    captured
  const page_ends = pageEnds(captured)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update wiki.snapshots as taken
    set status = 'ok', captured_at = now(), last_checked_at = now(), reading = ${readingVersion}, final_url = ${final_url},
      http_status = ${http_status}, content_type = ${content_type}, title = ${title}, size = ${size}, sha256 = ${sha256},
      text = ${text}, text_sha256 = ${text_sha256}, text_length = ${text_length}, normal_text = ${normal_text}, page_ends = ${page_ends}, unchanged = (
        select last.sha256 = ${sha256} or coalesce(last.text_sha256 = ${text_sha256}, false) from wiki.snapshots as last
        where last.source_id = taken.source_id and last.status = 'ok'
        order by coalesce(last.last_checked_at, last.captured_at) desc, last.id desc limit 1)
    where id = ${id} and status = 'pending'`)
  return rowCount > 0
}

export interface Failure {
  code: string
  message: string
  final_url?: string | undefined
  http_status?: number | undefined
}

export async function fail(tx: Db, id: string, { code, message, final_url, http_status }: Failure): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update wiki.snapshots
    set status = 'failed', captured_at = now(), error_code = ${code}, error_message = ${message},
      final_url = ${final_url ?? null}, http_status = ${http_status ?? null}
    where id = ${id} and status = 'pending'`)
}

const CitedSnapshot = table.Row.pick({ id: true, source_id: true })

/** Returns the newest successful snapshot of each source, otherwise the pending one. */
export async function findNewest(
  tx: Db,
  orgId: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await tx.any(sql.type(CitedSnapshot)`
    select distinct on (source_id) ${getColumns(CitedSnapshot)} from wiki.snapshots
    where org_id = ${orgId} and source_id = any(${sql.array([...sourceIds], 'uuid')}) and status <> 'failed'
    order by source_id, status = 'ok' desc, coalesce(last_checked_at, captured_at) desc, id desc`)
  return new Map(found.map(({ id, source_id }) => [source_id, id]))
}

/**
 * Locks snapshots by their IDs in `asked`. No snapshot can end before the transaction, so a quote is checked either in
 * this transaction or at the end of the snapshot.
 */
export async function lock(
  tx: Db,
  orgId: string,
  ids: readonly string[],
): Promise<readonly (z.infer<typeof CitedSnapshot> & { asked: string })[]> {
  return await tx.any(sql.type(CitedSnapshot.extend({ asked: Id }))`
    select given.asked, ${getColumns(CitedSnapshot, 's')}
    from unnest(${sql.array([...ids], 'uuid')}) as given (asked)
    left join wiki.snapshot_checks as k on k.id = given.asked
    join wiki.snapshots as s on s.id = coalesce(k.snapshot_id, given.asked)
    where s.org_id = ${orgId} order by s.id for share of s`)
}
