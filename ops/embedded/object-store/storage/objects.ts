import type { Checksum } from '../protocol/checksums.ts'
import * as references from './references.ts'
import type { Store } from './store.ts'

export interface Address {
  readonly bucket: string
  readonly key: string
}

export interface StoredObject {
  readonly id: number
  readonly size: number
  /** Entity tag without quotes. */
  readonly etag: string
  readonly modified: number
  readonly headers: Readonly<Record<string, string>>
  readonly checksum: Checksum | undefined
}

export interface Segment {
  readonly start: number
  readonly size: number
  readonly blob: string
}

/** An object to store, and further work of its transaction. `settle` returns the freed blobs. */
export interface Draft {
  readonly object: Omit<StoredObject, 'id'>
  readonly segments: readonly Segment[]
  settle?(): string[]
}

export function find({ ledger }: Store, { bucket, key }: Address): StoredObject | undefined {
  const row = ledger.prepare('select * from objects where bucket = ? and key = ?').get(bucket, Buffer.from(key))
  return row && readObject(row)
}

export function segments({ ledger }: Store, id: number, start: number, end: number): Segment[] {
  return ledger
    .prepare(
      'select start, size, blob from segments where object = ? and start < ? and start + size > ? order by position',
    )
    .all(id, end, start) as unknown as Segment[]
}

export function countSegments({ ledger }: Store, id: number): number {
  return Number(ledger.prepare('select count(*) as count from segments where object = ?').get(id)?.count)
}

export function segmentAt({ ledger }: Store, id: number, position: number): Segment | undefined {
  return ledger
    .prepare('select start, size, blob from segments where object = ? and position = ?')
    .get(id, position) as unknown as Segment | undefined
}

/**
 * Stores an object and replaces the current object of its key. `draft` creates the new object from the current one
 * within the transaction. If `draft` throws, nothing changes.
 */
export async function put(
  store: Store,
  address: Address,
  draft: (current: StoredObject | undefined) => Draft,
): Promise<StoredObject> {
  const { object, freed } = await store.ledger.commit(() => {
    const current = find(store, address)
    const { object, segments, settle } = draft(current)
    references.retain(store.ledger, segments)
    const replaced = current ? drop(store, current.id) : []
    const id = insert(store, address, object, segments)
    return { object: { ...object, id }, freed: [...replaced, ...(settle?.() ?? [])] }
  })
  store.blobs.remove(freed)
  return object
}

/** Deletes the objects of keys. Keys without an object are not an error. */
export async function remove(store: Store, bucket: string, keys: readonly string[]): Promise<void> {
  const freed = await store.ledger.commit(() =>
    keys.flatMap((key) => {
      const current = find(store, { bucket, key })
      return current ? drop(store, current.id) : []
    }),
  )
  store.blobs.remove(freed)
}

function insert({ ledger }: Store, { bucket, key }: Address, object: Draft['object'], segments: readonly Segment[]) {
  const { size, etag, modified, headers, checksum = null } = object
  const { lastInsertRowid } = ledger
    .prepare('insert into objects (bucket, key, size, etag, modified, headers, checksum) values (?, ?, ?, ?, ?, ?, ?)')
    .run(bucket, Buffer.from(key), size, etag, modified, JSON.stringify(headers), checksum && JSON.stringify(checksum))
  const statement = ledger.prepare('insert into segments (object, position, start, size, blob) values (?, ?, ?, ?, ?)')
  for (const [position, { start, size, blob }] of segments.entries())
    statement.run(lastInsertRowid, position, start, size, blob)
  return Number(lastInsertRowid)
}

function drop({ ledger }: Store, id: number): string[] {
  const freed = references.release(ledger, 'select blob from segments where object = ?', id)
  ledger.prepare('delete from segments where object = ?').run(id)
  ledger.prepare('delete from tags where object = ?').run(id)
  ledger.prepare('delete from objects where id = ?').run(id)
  return freed
}

export function readObject(row: Record<string, unknown>): StoredObject {
  return {
    id: Number(row.id),
    size: Number(row.size),
    etag: String(row.etag),
    modified: Number(row.modified),
    headers: JSON.parse(String(row.headers)),
    checksum: row.checksum ? JSON.parse(String(row.checksum)) : undefined,
  }
}
