import type { DatabasePool } from '#sql/db.ts'
import { type Deliverable, findDeliverable } from '#sql/files/deliveries.ts'
import { type BatchedLookup, createBatchedLookup } from '../../http/database/batched-lookup.ts'

/**
 * Time in milliseconds for which a file is delivered while the database is unavailable. A revoked file must end within
 * five seconds.
 */
const rememberedMs = 4_000

const lookups = new WeakMap<DatabasePool, BatchedLookup<Deliverable>>()

/** Returns the object with its newest clean version. Nothing is cached, so a revoked file ends with the next request. */
export async function getDeliverable(db: DatabasePool, id: string): Promise<Deliverable | undefined> {
  const lookup = lookups.get(db) ?? createBatchedLookup(findDeliverable, ({ object_id }) => object_id, rememberedMs)
  lookups.set(db, lookup)
  const found = await lookup.ask(db, id)
  // A result can be older than its request while the database is unavailable.
  const isExpired = found?.expires_at && found.expires_at.getTime() <= Date.now()
  return isExpired ? undefined : found
}
