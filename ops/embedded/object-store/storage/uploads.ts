import { randomBytes } from 'node:crypto'
import type { Algorithm } from '../protocol/checksums.ts'
import { S3Error } from '../protocol/errors.ts'
import type { Address, StoredObject } from './objects.ts'
import * as references from './references.ts'
import type { Store } from './store.ts'

export interface Upload {
  readonly id: string
  readonly created: number
  readonly headers: Readonly<Record<string, string>>
  readonly algorithm: Algorithm | undefined
  /** The resulting object. Undefined while the upload is open. */
  readonly completed: CompletedUpload | undefined
}

export type CompletedUpload = Pick<StoredObject, 'etag' | 'checksum'>

export interface Part {
  readonly number: number
  readonly size: number
  readonly etag: string
  readonly modified: number
  /** Base64 checksum with the upload’s algorithm. */
  readonly checksum: string | null
  readonly blob: string
}

const day = 24 * 3600 * 1000

/** Starts an upload. Deletes records of uploads that were completed more than a day ago. */
export async function create(
  { ledger }: Store,
  { bucket, key }: Address,
  headers: Readonly<Record<string, string>>,
  algorithm: Algorithm | undefined,
): Promise<string> {
  const now = Date.now()
  // IDs sort by their creation time, as a listing needs.
  const id = now.toString(16).padStart(12, '0') + randomBytes(16).toString('hex')
  await ledger.commit(() => {
    ledger.prepare('delete from uploads where completed is not null and created < ?').run(now - day)
    ledger
      .prepare('insert into uploads (id, bucket, key, created, headers, algorithm) values (?, ?, ?, ?, ?, ?)')
      .run(id, bucket, Buffer.from(key), now, JSON.stringify(headers), algorithm ?? null)
  })
  return id
}

/** Returns an open or completed upload. Throws NoSuchUpload. */
export function find({ ledger }: Store, { bucket, key }: Address, id: string): Upload {
  const row = ledger
    .prepare('select * from uploads where id = ? and bucket = ? and key = ?')
    .get(id, bucket, Buffer.from(key))
  if (!row) throw missing()
  return readUpload(row)
}

export function findOpen(store: Store, address: Address, id: string): Upload {
  const upload = find(store, address, id)
  if (upload.completed !== undefined) throw missing()
  return upload
}

/** Lists up to `limit` open uploads, by key, then by age. Starts after a key, or after an upload of this key. */
export function listOpen(
  { ledger }: Store,
  bucket: string,
  prefix: string,
  after: { readonly key: string; readonly id: string | undefined },
  limit: number,
): (Upload & { readonly key: string })[] {
  const key = Buffer.from(after.key)
  const first = Buffer.from(prefix)
  return ledger
    .prepare(
      `select * from uploads
        where bucket = :bucket and completed is null and substr(key, 1, :length) = :prefix
          and (key > :key or (key = :key and id > :id))
        order by key, id limit :limit`,
    )
    .all({ bucket, prefix: first, length: first.length, key, id: after.key && (after.id ?? '~'), limit })
    .map((row) => ({ ...readUpload(row), key: Buffer.from(row.key as Uint8Array).toString('utf8') }))
}

export async function putPart(store: Store, address: Address, id: string, part: Part): Promise<void> {
  const { ledger, blobs } = store
  const freed = await ledger.commit(() => {
    findOpen(store, address, id)
    references.retain(ledger, [part])
    const freed = references.release(ledger, 'select blob from parts where upload = ? and number = ?', id, part.number)
    ledger
      .prepare('replace into parts (upload, number, size, etag, modified, checksum, blob) values (?, ?, ?, ?, ?, ?, ?)')
      .run(id, part.number, part.size, part.etag, part.modified, part.checksum, part.blob)
    return freed
  })
  blobs.remove(freed)
}

export function parts({ ledger }: Store, id: string, after: number, limit: number): Part[] {
  return ledger
    .prepare('select * from parts where upload = ? and number > ? order by number limit ?')
    .all(id, after, limit) as unknown as Part[]
}

/** Marks an upload as completed and frees its parts. Call it in `settle` of the object’s draft. */
export function complete({ ledger }: Store, id: string, completed: CompletedUpload): string[] {
  const freed = releaseParts({ ledger }, id)
  ledger.prepare('update uploads set completed = ? where id = ?').run(JSON.stringify(completed), id)
  return freed
}

export async function abort(store: Store, address: Address, id: string): Promise<void> {
  const freed = await store.ledger.commit(() => {
    findOpen(store, address, id)
    return forget(store, id)
  })
  store.blobs.remove(freed)
}

/**
 * Aborts up to `limit` uploads of keys with a prefix that started no later than `before`. Returns the number of aborted
 * uploads.
 */
export async function abortOld(
  store: Store,
  { bucket, prefix, before, limit }: { bucket: string; prefix: string; before: number; limit: number },
): Promise<number> {
  const first = Buffer.from(prefix)
  const ids = store.ledger
    .prepare(
      `select id from uploads
        where bucket = :bucket and completed is null and substr(key, 1, :length) = :prefix and created <= :before
        limit :limit`,
    )
    .all({ bucket, prefix: first, length: first.length, before, limit })
    .map(({ id }) => String(id))
  if (ids.length > 0) store.blobs.remove(await store.ledger.commit(() => ids.flatMap((id) => forget(store, id))))
  return ids.length
}

function forget(store: Store, id: string): string[] {
  const freed = releaseParts(store, id)
  store.ledger.prepare('delete from uploads where id = ?').run(id)
  return freed
}

function readUpload(row: Record<string, unknown>): Upload {
  return {
    id: String(row.id),
    created: Number(row.created),
    headers: JSON.parse(String(row.headers)),
    algorithm: (row.algorithm as Algorithm | null) ?? undefined,
    completed: row.completed ? JSON.parse(String(row.completed)) : undefined,
  }
}

function releaseParts({ ledger }: Pick<Store, 'ledger'>, id: string): string[] {
  const freed = references.release(ledger, 'select blob from parts where upload = ?', id)
  ledger.prepare('delete from parts where upload = ?').run(id)
  return freed
}

function missing(): S3Error {
  return new S3Error('NoSuchUpload', 'The specified upload does not exist; it may have been aborted or completed.')
}
