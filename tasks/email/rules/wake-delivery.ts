import type { Db } from '#sql/db.ts'
import { findNext, findNextOfDomain, lockSite, type Next } from '#sql/email/claims.ts'
import type { IpPool } from '#sql/email/deliveries.ts'
import { enqueue, enqueueMany } from '../../queue/enqueue.ts'
import { deliveryTasks } from './delivery-tasks.ts'
import { localAddresses } from './ip-addresses.ts'

/**
 * Jobs that start delivery. Every due message has one: adding messages enqueues a job per domain in the same
 * transaction, with the domain as its key. The end of a job enqueues one for the rest of the MX set, with the set as
 * its key.
 * This is decided under a lock (`lockSite`), so the last one sees everything that was deferred before. The keys differ,
 * because a later job must not replace one that new messages need now.
 */

export async function enqueueDomains(tx: Db, pool: IpPool, domains: Iterable<string>): Promise<void> {
  // In a fixed order, so that two transactions with common domains wait instead of deadlocking.
  const sorted = [...new Set(domains)].sort()
  if (sorted.length === 0) return
  await enqueueMany(
    tx,
    deliveryTasks[pool],
    sorted.map((domain) => ({ domain })),
    (i) => ({ key: sorted[i] as string }),
  )
}

/** Enqueues the job for the rest of an MX set in the caller's transaction, at least `pause` milliseconds later. */
export async function enqueueMxSet(tx: Db, pool: IpPool, mxSet: string, pause = 0): Promise<void> {
  await lockSite(tx, pool, mxSet)
  const addresses = localAddresses(pool).map(({ address }) => address)
  await wakeAt(tx, pool, await findNext(tx, pool, mxSet, addresses, pause), `set ${mxSet}`, mxSet)
}

/** For a domain whose MX set cannot be looked up. */
export async function enqueueDomainLater(tx: Db, pool: IpPool, domain: string): Promise<void> {
  await lockSite(tx, pool, domain)
  await wakeAt(tx, pool, await findNextOfDomain(tx, pool, domain), `domain ${domain}`)
}

export async function enqueueHelper(db: Db, pool: IpPool, domain: string, mxSet: string): Promise<void> {
  await enqueue(db, deliveryTasks[pool], { domain, set: mxSet }, { key: `more ${mxSet}` })
}

async function wakeAt(tx: Db, pool: IpPool, next: Next | null, key: string, set?: string): Promise<void> {
  if (next) await enqueue(tx, deliveryTasks[pool], { domain: next.domain, set }, { key, at: next.at })
}
