import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { everything, isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import * as folders from './folders.ts'
import * as objectMetadata from './object-metadata.ts'

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

export type ScanStatus = z.infer<typeof ScanStatus>

/** `signed`: only with a signed URL. */
export const Visibility = z.enum(['private', 'signed', 'public'])

export type Visibility = z.infer<typeof Visibility>

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
    visibility: Visibility,
    metadata: objectMetadata.Metadata,
    folder: z.string(),
    expires_at: z.date().nullable(),
    created_at: z.date(),
  }),
)

export const FileObject = table.Row

export type FileObject = z.infer<typeof FileObject>

const columns = table.columns()

export interface Owner {
  orgId: string
  tenantId?: string | undefined
}

/** Condition that an object is neither deleted nor expired. */
export const isAvailable = sql.fragment`deleted_at is null and (expires_at is null or expires_at > now())`

export const owned = ({ orgId, tenantId }: Owner) =>
  tenantId === undefined
    ? sql.fragment`org_id = ${orgId} and ${isAvailable}`
    : sql.fragment`org_id = ${orgId} and tenant_id = ${tenantId} and ${isAvailable}`

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
  Partial<Pick<FileObject, 'version_of' | 'version' | 'visibility'>> & {
    [Name in 'metadata' | 'folder' | 'expires_at']?: FileObject[Name] | undefined
  }

export async function insert(tx: Db, object: NewObject): Promise<FileObject> {
  const made = await tx.one(sql.type(FileObject)`${table.insert(object)} returning ${columns}`)
  if (made.version_of === null && Object.keys(made.metadata).length > 0) await objectMetadata.updateIndex(tx, made.id)
  return made
}

export async function find(db: Db, owner: Owner, id: string): Promise<FileObject | null> {
  return await db.maybeOne(
    sql.type(FileObject)`select ${columns} from files.objects where id = ${id} and ${owned(owner)}`,
  )
}

export async function findAny(db: Db, id: string): Promise<FileObject | null> {
  return await db.maybeOne(
    sql.type(FileObject)`select ${columns} from files.objects where id = ${id} and deleted_at is null`,
  )
}

/**
 * Number of undrawable pages after which a whole object counts as undrawable: pages that are certainly undrawable, and
 * the total of certain and possible ones.
 */
const [mostUndrawable, mostFailed] = [3, 6]

/**
 * Records that a page of an object cannot be drawn. Unless `certain`, the page may be tried once more. Until then, it
 * is stored as its negative number.
 */
export async function markUndrawable(db: Db, id: string, page: number, certain: boolean): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update files.objects
    set undrawable_pages = array_append(array_remove(undrawable_pages, -${page}::integer),
      case when ${certain} or -${page}::integer = any(undrawable_pages) then ${page}::integer else -${page}::integer end)
    where id = ${id} and not ${page}::integer = any(undrawable_pages)
      and (cardinality(undrawable_pages) < ${mostFailed} or -${page}::integer = any(undrawable_pages))`)
}

/** True if the page, or the whole object after too many failures, cannot be drawn. */
export const isUndrawable = (
  { undrawable_pages: pages }: Pick<FileObject, 'undrawable_pages'>,
  page: number,
): boolean =>
  pages.includes(page) || pages.length >= mostFailed || pages.filter((one) => one > 0).length >= mostUndrawable

export const filters = {
  scan_status: table.equals('scan_status'),
  product_key: table.equals('product_key'),
  visibility: table.equals('visibility'),
  folder: folders.isIn,
  prefix: folders.hasPrefix,
}

export interface LookUp {
  metadata?: objectMetadata.MetadataEntry | undefined
  /** Finds objects of which at least one version has this hash. */
  sha256?: string | undefined
}

export async function list(
  db: Db,
  owner: Owner,
  { where, before, limit, metadata, sha256 }: Page<typeof filters> & LookUp,
): Promise<readonly FileObject[]> {
  const hasMetadata = metadata ? objectMetadata.hasEntry(owner.orgId, metadata) : everything
  const hasHash =
    sha256 === undefined
      ? everything
      : sql.fragment`id in (select coalesce(v.version_of, v.id) from files.objects as v
          where v.org_id = ${owner.orgId} and v.sha256 = ${sha256} and v.deleted_at is null)`
  return await db.any(sql.type(FileObject)`
    select ${columns} from files.objects
    where ${owned(owner)} and version_of is null and ${where} and ${hasMetadata} and ${hasHash} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/**
 * Stores the stripped copy under `heldKey` as the object’s bytes. Returns `null` if another completion was first or the
 * object is deleted.
 */
export async function storeAcceptedCopy(
  tx: Db,
  id: string,
  heldKey: string,
  scanId: string,
): Promise<FileObject | null> {
  return await tx.maybeOne(sql.type(FileObject)`
    update files.objects
    set scan_status = 'pending', place = 'held', held_key = ${heldKey}, scan_id = ${scanId}, uploaded_at = now(),
      metadata_stripped = true
    where id = ${id} and scan_status = 'awaiting_upload' and deleted_at is null
    returning ${columns}`)
}

/** True if the scanned bytes are now under another key, because another object's verdict has moved them. */
export async function hasMoved(tx: Db, id: string, key: string): Promise<boolean> {
  return await tx.exists(sql.type(z.object({ id: Id }))`
    select id from files.objects
    where id = ${id} and scan_status in ('pending', 'scanning') and held_key <> ${key} and deleted_at is null`)
}

/**
 * Soft-deletes an object. If it is the first version, soft-deletes all versions. Returns the deleted rows. Empty if the
 * object does not exist. Rows are deleted after their bytes.
 */
export async function markDeleted(tx: Db, owner: Owner, id: string): Promise<readonly FileObject[]> {
  const deleted = await tx.maybeOne(sql.type(FileObject)`
    update files.objects set deleted_at = now() where id = ${id} and ${owned(owner)} returning ${columns}`)
  if (!deleted) return []
  // A separate statement: a request that adds a version locks this row, and only a later statement sees the new
  // version.
  const versions = await tx.any(sql.type(FileObject)`
    update files.objects set deleted_at = now() where version_of = ${id} and deleted_at is null returning ${columns}`)
  return [deleted, ...versions]
}

const Deleted = z.object({
  incoming_key: z.string(),
  key: z.string().nullable(),
  storage_upload: z.string().nullable(),
  longAgo: z.boolean(),
})

/**
 * Returns the stored keys of a soft-deleted object, and its upload in parts. `null` if the object is not deleted or its row no longer exists.
 */
export async function findDeleted(db: Db, id: string): Promise<z.infer<typeof Deleted> | null> {
  return await db.maybeOne(sql.type(Deleted)`
    select incoming_key, upload.key, upload.storage_upload,
      greatest(deleted_at, case when upload.id is null then upload_expires_at end) < now() - interval '1 hour' as "longAgo"
    from files.objects as o left join files.uploads as upload using (id) where o.id = ${id} and deleted_at is not null`)
}

/** Deletes the row of a soft-deleted object. Its history stays in `files.state_changes`. */
export async function remove(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`delete from files.objects where id = ${id} and deleted_at is not null`)
}

/** Soft-deletes an object whose upload is not complete. Returns false if its bytes were accepted in the meantime. */
export async function markAbandoned(tx: Db, owner: Owner, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update files.objects set deleted_at = now() where id = ${id} and ${owned(owner)} and place = 'incoming'`)
  return rowCount > 0
}

/** Soft-deletes up to `limit` objects that were not uploaded in time. Returns their IDs and organisations. */
export async function deleteAbandoned(tx: Db, limit: number): Promise<readonly { id: string; org_id: string }[]> {
  return await tx.any(sql.type(z.object({ id: Id, org_id: Id }))`
    update files.objects set deleted_at = now()
    where id = any(array(
      select id from files.objects
      where scan_status = 'awaiting_upload' and deleted_at is null and upload_expires_at < now() - interval '1 hour'
      order by upload_expires_at limit ${limit} for update skip locked))
    returning id, org_id`)
}

export async function statuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, ScanStatus>> {
  if (ids.length === 0) return new Map()
  const found = await db.any(sql.type(FileObject.pick({ id: true, scan_status: true }))`
    select id, scan_status from files.objects
    where id = any(${sql.array([...ids], 'uuid')}) and deleted_at is null`)
  return new Map(found.map(({ id, scan_status }) => [id, scan_status]))
}
