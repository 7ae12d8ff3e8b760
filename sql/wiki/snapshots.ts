import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

/** What sources said, without the texts themselves. */
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

/** The rules by which texts are read now (lib/normal-text.ts): what was read by none of them is read again before it proves anything. */
export const reading = 1

export type Snapshot = z.infer<typeof table.Row>

const columns = table.columns()

/** Asks for a snapshot of each of those sources; the one that is waited for already is the answer as long as it is pending. */
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

/** The snapshot that an id leads to: one that was found to be the same as another is that. */
const known = (id: string) =>
  sql.fragment`coalesce((select snapshot_id from wiki.snapshot_checks where id = ${id}), ${id})`

/** One snapshot, also by the id of a request that found it again. */
export async function find(db: Db, orgId: string, id: string): Promise<Snapshot | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.snapshots where id = ${known(id)} and org_id = ${orgId}`)
}

/** Locks one snapshot against everything else; null when there is none. */
export async function lockForRemoval(tx: Db, orgId: string, id: string): Promise<Snapshot | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    select ${columns} from wiki.snapshots where id = ${id} and org_id = ${orgId} for update`)
}

/** Deletes a snapshot with what cites it; its bytes are let go. */
export async function remove(tx: Db, id: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`delete from wiki.snapshots where id = ${id}`)
}

/** The readable text of a snapshot; null when it has none. */
export async function findText(db: Db, id: string): Promise<string | null> {
  return await db.oneFirst(sql.type(z.object({ text: z.string().nullable() }))`
    select text from wiki.snapshots where id = ${id}`)
}

/** Snapshots of a source, newest first. */
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

/** A snapshot that is to be captured. */
const PendingSnapshot = table.Row.pick({ id: true, org_id: true, source_id: true, requested_at: true }).extend({
  url: z.string(),
})

/** A snapshot that is to be captured; null when that is done, or its source is gone. */
export async function findPending(db: Db, id: string): Promise<z.infer<typeof PendingSnapshot> | null> {
  return await db.maybeOne(sql.type(PendingSnapshot)`
    select p.id, p.org_id, p.source_id, p.requested_at, s.canonical_url as url
    from wiki.snapshots as p join wiki.sources as s on s.id = p.source_id where p.id = ${id} and p.status = 'pending'`)
}

/** What was captured. */
export type Capture = Pick<Snapshot, 'final_url' | 'http_status' | 'content_type' | 'title' | 'size' | 'sha256'> & {
  text: string | null
  text_sha256: string | null
  text_length: number | null
  normal_text: string | null
  page_ends: number[] | null
}

/** Where the pages of what was captured end, as Postgres has it. */
export const pageEnds = ({ page_ends }: Pick<Capture, 'page_ends'>) =>
  page_ends === null ? sql.fragment`null` : sql.array(page_ends, 'int4')

/** Ends a pending snapshot with what was captured; false when it has ended before. */
export async function end(tx: Db, id: string, captured: Capture): Promise<boolean> {
  const { final_url, http_status, content_type, title, size, sha256, text, text_sha256, text_length, normal_text } =
    captured
  const page_ends = pageEnds(captured)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update wiki.snapshots as taken
    set status = 'ok', captured_at = now(), last_checked_at = now(), reading = ${reading}, final_url = ${final_url},
      http_status = ${http_status}, content_type = ${content_type}, title = ${title}, size = ${size}, sha256 = ${sha256},
      text = ${text}, text_sha256 = ${text_sha256}, text_length = ${text_length}, normal_text = ${normal_text}, page_ends = ${page_ends}, unchanged = (
        select last.sha256 = ${sha256} or coalesce(last.text_sha256 = ${text_sha256}, false) from wiki.snapshots as last
        where last.source_id = taken.source_id and last.status = 'ok'
        order by coalesce(last.last_checked_at, last.captured_at) desc, last.id desc limit 1)
    where id = ${id} and status = 'pending'`)
  return rowCount > 0
}

/** Why nothing was captured, and how far it came. */
export interface Failure {
  code: string
  message: string
  final_url?: string | undefined
  http_status?: number | undefined
}

/** Ends a pending snapshot that could not be captured. */
export async function fail(tx: Db, id: string, { code, message, final_url, http_status }: Failure): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update wiki.snapshots
    set status = 'failed', captured_at = now(), error_code = ${code}, error_message = ${message},
      final_url = ${final_url ?? null}, http_status = ${http_status ?? null}
    where id = ${id} and status = 'pending'`)
}

const CitedSnapshot = table.Row.pick({ id: true, source_id: true })

/** The newest good snapshot of each of those sources, or else the pending one. */
export async function newestOf(
  tx: Db,
  orgId: string,
  sourceIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await tx.any(sql.type(CitedSnapshot)`
    select distinct on (source_id) ${columnsOf(CitedSnapshot)} from wiki.snapshots
    where org_id = ${orgId} and source_id = any(${sql.array([...sourceIds], 'uuid')}) and status <> 'failed'
    order by source_id, status = 'ok' desc, coalesce(last_checked_at, captured_at) desc, id desc`)
  return new Map(found.map(({ id, source_id }) => [source_id, id]))
}

/** Those snapshots, `asked` by their ids; none is ended before the transaction is, so that a quote is settled either by it or with its snapshot. */
export async function lock(
  tx: Db,
  orgId: string,
  ids: readonly string[],
): Promise<readonly (z.infer<typeof CitedSnapshot> & { asked: string })[]> {
  return await tx.any(sql.type(CitedSnapshot.extend({ asked: Id }))`
    select given.asked, ${columnsOf(CitedSnapshot, 's')}
    from unnest(${sql.array([...ids], 'uuid')}) as given (asked)
    left join wiki.snapshot_checks as k on k.id = given.asked
    join wiki.snapshots as s on s.id = coalesce(k.snapshot_id, given.asked)
    where s.org_id = ${orgId} order by s.id for share of s`)
}
