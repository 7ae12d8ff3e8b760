import type { Address } from './objects.ts'
import { find as findObject } from './objects.ts'
import type { Store } from './store.ts'

export type Tag = readonly [key: string, value: string]

export function find({ ledger }: Store, objectId: number): readonly Tag[] {
  const row = ledger.prepare('select tags from tags where object = ?').get(objectId)
  return row ? JSON.parse(String(row.tags)) : []
}

/** Replaces the tags of an object. Returns false if the object does not exist. */
export async function set(store: Store, address: Address, tags: readonly Tag[]): Promise<boolean> {
  return await store.ledger.commit(() => {
    const object = findObject(store, address)
    if (!object) return false
    store.ledger.prepare('delete from tags where object = ?').run(object.id)
    if (tags.length > 0)
      store.ledger.prepare('insert into tags (object, tags) values (?, ?)').run(object.id, JSON.stringify(tags))
    return true
  })
}
