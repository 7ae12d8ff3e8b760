import type { Db } from '#sql/db.ts'
import { findNext, findNextOfDomain, lockSite, type Next } from '#sql/email/delivery/claims.ts'
import type { Place } from '#sql/email/delivery/misplaced.ts'
import { getDedicatedPool, getSharedPool, type PoolKey } from '#sql/email/delivery/pool-keys.ts'
import { enqueue, enqueueMany } from '../../queue/enqueue.ts'
import { deliveryTasks } from './delivery-tasks.ts'
import { listAddresses } from './ip-addresses.ts'

/**
 * Adds jobs that start delivery. Every due message has a job. When messages are added, a job per domain is added in the
 * same transaction, with the domain as its key. When a job ends, it adds a job for the rest of the MX set, with the set
 * as its key. This is decided under a lock (`lockSite`), so the last job sees all messages that were deferred before.
 * The keys differ, because a later job must not replace a job that new messages need now.
 */

const taskOf = (pool: PoolKey) => deliveryTasks[getSharedPool(pool)]

function dedicatedOf(pool: PoolKey): { ip_pool?: string } {
  const name = getDedicatedPool(pool)
  return name === null ? {} : { ip_pool: name }
}

/** Jobs of dedicated pools have keys of their own. */
function keyOf(pool: PoolKey, key: string): string {
  const name = getDedicatedPool(pool)
  return name === null ? key : `pool ${name} ${key}`
}

export async function enqueueDomains(tx: Db, pool: PoolKey, domains: Iterable<string>): Promise<void> {
  // In a fixed order, so that transactions with common domains wait instead of deadlocking.
  const sorted = [...new Set(domains)].sort()
  if (sorted.length === 0) return
  await enqueueMany(
    tx,
    taskOf(pool),
    sorted.map((domain) => ({ domain, ...dedicatedOf(pool) })),
    (i) => ({ key: keyOf(pool, sorted[i] as string) }),
  )
}

/** Adds the job for the rest of an MX set in the caller’s transaction. */
export async function enqueueMxSet(tx: Db, pool: PoolKey, mxSet: string): Promise<void> {
  await lockSite(tx, pool, mxSet)
  await enqueueNext(tx, { pool, mxSet })
}

interface Site {
  pool: PoolKey
  mxSet: string
  /** Domain whose messages belong to the MX set. */
  domain?: string
  /** Minimum delay in milliseconds. */
  pause?: number
}

/** Does the same as `enqueueMxSet` for a caller that has locked the MX set. */
export async function enqueueNext(tx: Db, { pool, mxSet, domain, pause = 0 }: Site): Promise<void> {
  const addresses = (await listAddresses(tx, pool)).map(({ address }) => address)
  await wakeAt(tx, pool, await findNext(tx, { pool, mxSet, domain, addresses, pause }), `set ${mxSet}`, mxSet)
}

/** For a domain whose MX set cannot be looked up. */
export async function enqueueDomainLater(tx: Db, pool: PoolKey, domain: string): Promise<void> {
  await lockSite(tx, pool, domain)
  await wakeAt(tx, pool, await findNextOfDomain(tx, pool, domain), `domain ${domain}`)
}

export async function enqueueHelper(db: Db, pool: PoolKey, domain: string, mxSet: string): Promise<void> {
  await enqueue(db, taskOf(pool), { domain, set: mxSet, ...dedicatedOf(pool) }, { key: keyOf(pool, `more ${mxSet}`) })
}

async function wakeAt(tx: Db, pool: PoolKey, next: Next | null, key: string, set?: string): Promise<void> {
  if (next)
    await enqueue(
      tx,
      taskOf(pool),
      { domain: next.domain, set, ...dedicatedOf(pool) },
      { key: keyOf(pool, key), at: next.at },
    )
}

/** Adds jobs for deliveries that were moved to another pool. */
export async function enqueuePlaces(tx: Db, places: readonly Place[]): Promise<void> {
  for (const [pool, of] of Map.groupBy(places, ({ pool }) => pool)) {
    await enqueueDomains(
      tx,
      pool,
      of.map(({ to_domain }) => to_domain),
    )
  }
}
