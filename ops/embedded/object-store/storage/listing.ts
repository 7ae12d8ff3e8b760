import { readObject, type StoredObject } from './objects.ts'
import type { Store } from './store.ts'

export interface ListQuery {
  readonly bucket: string
  readonly prefix: string
  readonly delimiter: string
  readonly from: Buffer
  readonly limit: number
}

export interface Page {
  readonly objects: readonly (StoredObject & { readonly key: string })[]
  readonly prefixes: readonly string[]
  readonly next: Buffer | undefined
  readonly last: string
}

/** Lists keys in the order of their UTF-8 bytes. Keys with a common prefix up to the delimiter are combined. */
export function list(store: Store, { bucket, prefix, delimiter, from, limit }: ListQuery): Page {
  const objects: Page['objects'][number][] = []
  const prefixes: string[] = []
  const first = Buffer.from(prefix)
  let next = Buffer.compare(from, first) > 0 ? from : first
  let last = ''
  let found = scan(store, bucket, next, first)
  for (let item = found.next(); !item.done; item = found.next()) {
    if (objects.length + prefixes.length >= limit) {
      found.return()
      return { objects, prefixes, next: limit > 0 ? next : undefined, last }
    }
    const rolled = commonPrefix(item.value.key, prefix, delimiter)
    last = rolled ?? item.value.key
    next = rolled === undefined ? afterKey(last) : afterPrefix(last)
    if (rolled === undefined) objects.push(item.value)
    else {
      prefixes.push(rolled)
      found.return()
      found = scan(store, bucket, next, first)
    }
  }
  return { objects, prefixes, next: undefined, last }
}

export function afterKey(key: string): Buffer {
  return Buffer.concat([Buffer.from(key), Buffer.alloc(1)])
}

/**
 * Returns the first bytes after every key with a prefix. UTF-8 never ends in 0xff, so the last byte has a successor.
 */
export function afterPrefix(prefix: string): Buffer {
  const bytes = Buffer.from(prefix)
  const last = bytes.length - 1
  if (last >= 0) bytes[last] = (bytes[last] ?? 0) + 1
  return bytes
}

function commonPrefix(key: string, prefix: string, delimiter: string): string | undefined {
  const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
  return at < 0 ? undefined : key.slice(0, at + delimiter.length)
}

function* scan(
  { ledger }: Store,
  bucket: string,
  from: Buffer,
  prefix: Buffer,
): Generator<Page['objects'][number], void> {
  const rows = ledger.prepare('select * from objects where bucket = ? and key >= ? order by key').iterate(bucket, from)
  for (const row of rows) {
    const key = Buffer.from(row.key as Uint8Array)
    if (!key.subarray(0, prefix.length).equals(prefix)) return
    yield { ...readObject(row), key: key.toString('utf8') }
  }
}
