import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'
import { Reason } from './scans.ts'

export const Status = z.enum(['pending', 'scanning', 'clean', 'infected', 'suspicious', 'unscannable', 'error'])

export const TagState = z.enum(['off', 'waiting', 'written', 'changed', 'failed'])

export const ScanError = z.object({ code: z.string(), message: z.string() })

export type ScanError = z.infer<typeof ScanError>

export const table = defineTable(
  'files',
  'bucket_scans',
  z.object({
    id: Id,
    org_id: Id,
    bucket_id: Id,
    key: z.string(),
    version_id: z.string().nullable(),
    status: Status,
    error: ScanError.nullable(),
    etag: z.string().nullable(),
    scanned_version: z.string().nullable(),
    content_type: z.string().nullable(),
    byte_size: z.number().nullable(),
    sha256: z.string().nullable(),
    detected_type: z.string().nullable(),
    engine: z.string().nullable(),
    signature_version: z.string().nullable(),
    heuristics_version: z.string().nullable(),
    reasons: z.array(Reason),
    tag: TagState,
    tag_error: z.string().nullable(),
    created_at: z.date(),
    finished_at: z.date().nullable(),
  }),
  { retention: days('SCAN_HISTORY_DAYS', 'finished_at', { which: 'of objects in buckets of customers' }) },
)

export const BucketScan = table.Row

export type BucketScan = z.infer<typeof BucketScan>

const columns = table.columns()

const isOpen = sql.fragment`status in ('pending', 'scanning')`

export async function insert(
  tx: Db,
  scan: Pick<BucketScan, 'id' | 'org_id' | 'bucket_id' | 'key' | 'version_id' | 'tag'>,
): Promise<BucketScan> {
  return await tx.one(sql.type(BucketScan)`${table.insert(scan)} returning ${columns}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<BucketScan | null> {
  return await db.maybeOne(sql.type(BucketScan)`
    select ${columns} from files.bucket_scans where id = ${id} and org_id = ${orgId}`)
}

export async function findAny(db: Db, id: string): Promise<BucketScan | null> {
  return await db.maybeOne(sql.type(BucketScan)`select ${columns} from files.bucket_scans where id = ${id}`)
}

export const filters = {
  bucket_id: table.equals('bucket_id'),
  status: table.equals('status'),
  sha256: table.equals('sha256'),
  /** By the index of hashes, because a key can be too long for an index. */
  key: (key: string) => sql.fragment`md5(key) = md5(${key}) and key = ${key}`,
  tag: table.equals('tag'),
}

export async function list(db: Db, orgId: string, { where, before, limit }: Page<typeof filters>) {
  return await db.any(sql.type(BucketScan)`
    select ${columns} from files.bucket_scans
    where org_id = ${orgId} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}

export type ReadObject = Pick<BucketScan, 'etag' | 'scanned_version' | 'content_type' | 'byte_size' | 'sha256'>

/** Stores that the object’s bytes were read. Returns false if the scan has moved on or its bucket was deleted. */
export async function markRead(tx: Db, id: string, read: ReadObject): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update files.bucket_scans set status = 'scanning', ${table.set(read)} where id = ${id} and status = 'pending'`)
  return rowCount > 0
}

export type Judgement = Pick<BucketScan, 'status' | 'reasons'> &
  Partial<Pick<BucketScan, 'detected_type' | 'engine' | 'signature_version' | 'heuristics_version'>> &
  Partial<ReadObject>

/** Ends a scan with a verdict. Returns `null` if it has already ended. */
export async function judge(tx: Db, id: string, judgement: Judgement): Promise<BucketScan | null> {
  return await tx.maybeOne(sql.type(BucketScan)`
    update files.bucket_scans set ${table.set(judgement)}, finished_at = now()
    where id = ${id} and ${isOpen} returning ${columns}`)
}

/** Ends a scan that has no verdict. Its object gets no tag. Returns `null` if it has already ended. */
export async function fail(tx: Db, id: string, error: ScanError): Promise<BucketScan | null> {
  return await tx.maybeOne(sql.type(BucketScan)`
    update files.bucket_scans set status = 'error', error = ${sql.jsonb({ ...error })}, tag = 'off', finished_at = now()
    where id = ${id} and ${isOpen} returning ${columns}`)
}

export async function setTag(
  tx: Db,
  id: string,
  tag: z.infer<typeof TagState>,
  problem: string | null = null,
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update files.bucket_scans set tag = ${tag}, tag_error = ${problem} where id = ${id} and tag = 'waiting'`)
}
