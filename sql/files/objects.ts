import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Where an object is on its way through the gate; only a `clean` one may be downloaded. */
export const ScanStatus = z.enum([
  'awaiting_upload',
  'pending',
  'scanning',
  'clean',
  'infected',
  'suspicious',
  'unscannable',
  'error',
])

/** Where an object is on its way through the gate. */
export type ScanStatus = z.infer<typeof ScanStatus>

/** Uploaded objects, and where each is on its way through the gate. */
export const table = defineTable(
  'files',
  'objects',
  z.object({
    id: Id,
    org_id: Id,
    product_key: z.string(),
    tenant_id: z.string(),
    filename: z.string(),
    content_type: z.string(),
    byte_size: z.number(),
    checksum_sha256: z.string().nullable(),
    scan_status: ScanStatus,
    place: z.enum(['incoming', 'held', 'quarantine', 'gone']),
    incoming_key: z.string(),
    held_key: z.string().nullable(),
    sha256: z.string().nullable(),
    sniffed_type: z.string().nullable(),
    scan_id: Id.nullable(),
    scanned_with: z.string().nullable(),
    release_id: Id.nullable(),
    upload_expires_at: z.date(),
    uploaded_at: z.date().nullable(),
    scanned_at: z.date().nullable(),
    quarantined_at: z.date().nullable(),
    metadata_stripped: z.boolean(),
    version_of: Id.nullable(),
    version: z.int(),
    undrawable_pages: z.array(z.int()),
    created_at: z.date(),
  }),
)

/** An uploaded object. */
export const FileObject = table.Row

/** The parsed row. */
export type FileObject = z.infer<typeof FileObject>

const columns = table.columns()

/** The scope of a query: an organisation, or one of its tenants. */
export interface Owner {
  orgId: string
  tenantId?: string | undefined
}

const owned = ({ orgId, tenantId }: Owner) =>
  tenantId === undefined
    ? sql.fragment`org_id = ${orgId} and deleted_at is null`
    : sql.fragment`org_id = ${orgId} and tenant_id = ${tenantId} and deleted_at is null`

/** An object about to be uploaded. */
export type NewObject = Pick<
  FileObject,
  | 'id'
  | 'org_id'
  | 'product_key'
  | 'tenant_id'
  | 'filename'
  | 'content_type'
  | 'byte_size'
  | 'checksum_sha256'
  | 'incoming_key'
  | 'upload_expires_at'
> &
  Partial<Pick<FileObject, 'version_of' | 'version'>>

/** Records an object whose bytes are awaited. */
export async function insert(tx: Db, object: NewObject): Promise<FileObject> {
  return await tx.one(sql.type(FileObject)`${table.insert(object)} returning ${columns}`)
}

export async function find(db: Db, owner: Owner, id: string): Promise<FileObject | null> {
  return await db.maybeOne(
    sql.type(FileObject)`select ${columns} from files.objects where id = ${id} and ${owned(owner)}`,
  )
}

/** One object of any organisation. */
export async function findAny(db: Db, id: string): Promise<FileObject | null> {
  return await db.maybeOne(
    sql.type(FileObject)`select ${columns} from files.objects where id = ${id} and deleted_at is null`,
  )
}

/** Undrawable pages from which on no page of an object is drawn, and those that count together with pages that may be. */
const [mostUndrawable, mostFailed] = [3, 6]

/**
 * Remembers that a page of an object cannot be drawn: its bytes never change. Unless that is `certain`, the page may be drawn once more,
 * and stands as its negative number until then.
 */
export async function markUndrawable(db: Db, id: string, page: number, certain: boolean): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update files.objects
    set undrawable_pages = array_append(array_remove(undrawable_pages, -${page}::integer),
      case when ${certain} or -${page}::integer = any(undrawable_pages) then ${page}::integer else -${page}::integer end)
    where id = ${id} and not ${page}::integer = any(undrawable_pages)
      and (cardinality(undrawable_pages) < ${mostFailed} or -${page}::integer = any(undrawable_pages))`)
}

/** Whether a page of an object cannot be drawn, or so many pages failed that the whole object counts as undrawable. */
export const isUndrawable = (
  { undrawable_pages: pages }: Pick<FileObject, 'undrawable_pages'>,
  page: number,
): boolean =>
  pages.includes(page) || pages.length >= mostFailed || pages.filter((one) => one > 0).length >= mostUndrawable

export interface ListFilter {
  status: ScanStatus | undefined
  productKey: string | undefined
  before: string | undefined
  limit: number
}

/** Objects by their first versions, newest first, after the one with id `before`. */
export async function list(db: Db, owner: Owner, filter: ListFilter): Promise<readonly FileObject[]> {
  const { status, productKey, before, limit } = filter
  const wanted = [
    owned(owner),
    sql.fragment`version_of is null`,
    ...(status ? [sql.fragment`scan_status = ${status}`] : []),
    ...(productKey ? [sql.fragment`product_key = ${productKey}`] : []),
    ...(before ? [sql.fragment`id < ${before}`] : []),
  ]
  return await db.any(sql.type(FileObject)`
    select ${columns} from files.objects where ${sql.join(wanted, sql.fragment` and `)} order by id desc limit ${limit}`)
}

/**
 * Makes the copy under `heldKey`, stripped of metadata, the object's bytes; null when another completion was first, or the
 * object is deleted.
 */
export async function hold(tx: Db, id: string, heldKey: string, scanId: string): Promise<FileObject | null> {
  return await tx.maybeOne(sql.type(FileObject)`
    update files.objects
    set scan_status = 'pending', place = 'held', held_key = ${heldKey}, scan_id = ${scanId}, uploaded_at = now(),
      metadata_stripped = true
    where id = ${id} and scan_status = 'awaiting_upload' and deleted_at is null
    returning ${columns}`)
}

/** Whether the bytes that a running scan has read are under another key by now: another object's verdict may move them. */
export async function hasMoved(tx: Db, id: string, key: string): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from files.objects
    where id = ${id} and scan_status in ('pending', 'scanning') and held_key <> ${key} and deleted_at is null`)
}

/**
 * Soft-deletes an object, and with its first version all of them; returns what was deleted, nothing when there is no such object. Rows are
 * deleted once their bytes are.
 */
export async function markDeleted(tx: Db, owner: Owner, id: string): Promise<readonly FileObject[]> {
  const deleted = await tx.maybeOne(sql.type(FileObject)`
    update files.objects set deleted_at = now() where id = ${id} and ${owned(owner)} returning ${columns}`)
  if (!deleted) return []
  // Not in one statement: whoever adds a version holds this row, and what they have added is seen by a later one alone.
  const versions = await tx.any(sql.type(FileObject)`
    update files.objects set deleted_at = now() where version_of = ${id} and deleted_at is null returning ${columns}`)
  return [deleted, ...versions]
}

/** What may still be stored of a soft-deleted object; null when it is not deleted, or its row is. */
export async function findDeleted(db: Db, id: string): Promise<{ incoming_key: string; longAgo: boolean } | null> {
  const Row = z.object({ incoming_key: z.string(), longAgo: z.boolean() })
  return await db.maybeOne(sql.type(Row)`
    select incoming_key, greatest(deleted_at, upload_expires_at) < now() - interval '1 hour' as "longAgo"
    from files.objects where id = ${id} and deleted_at is not null`)
}

/** Deletes the row of a soft-deleted object; its history stays in `files.state_changes`. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from files.objects where id = ${id} and deleted_at is not null`)
}

/** Soft-deletes objects that were not uploaded in time, at most `limit`; returns their ids and organisations. */
export async function deleteAbandoned(tx: Db, limit: number): Promise<readonly { id: string; org_id: string }[]> {
  return await tx.any(sql.type(z.object({ id: Id, org_id: Id }))`
    update files.objects set deleted_at = now()
    where id = any(array(
      select id from files.objects
      where scan_status = 'awaiting_upload' and deleted_at is null and upload_expires_at < now() - interval '1 hour'
      order by upload_expires_at limit ${limit} for update skip locked))
    returning id, org_id`)
}

/** Where objects of any organisation are on their way through the gate, by their ids; those that are gone are left out. */
export async function statuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ScanStatus>> {
  if (ids.length === 0) return new Map()
  const found = await db.any(sql.type(FileObject.pick({ id: true, scan_status: true }))`
    select id, scan_status from files.objects
    where id = any(${sql.array([...ids], 'uuid')}) and deleted_at is null`)
  return new Map(found.map(({ id, scan_status }) => [id, scan_status]))
}
