import type { Db } from '#sql/db.ts'
import { findNext, findNextOfDomain, lockSite, type Next } from '#sql/email/delivery/claims.ts'
import type { IpPool } from '#sql/email/delivery/deliveries.ts'
import { enqueue, enqueueMany } from '../../queue/enqueue.ts'
import { deliveryTasks } from './delivery-tasks.ts'
import { localAddresses } from './ip-addresses.ts'

/**
 * Adds jobs that start delivery. Every due message has a job. When messages are added, a job per domain is added in the
 * same transaction, with the domain as its key. When a job ends, it adds a job for the rest of the MX set, with the set
 * as its key. This is decided under a lock (`lockSite`), so the last job sees all messages that were deferred before.
 * The keys differ, because a later job must not replace a job that new messages need now.
 */

export async function enqueueDomains(tx: Db, pool: IpPool, domains: Iterable<string>): Promise<void> {
  // In a fixed order, so that transactions with common domains wait instead of deadlocking.
  const sorted = [...new Set(domains)].sort()
  if (sorted.length === 0) return
  await enqueueMany(
    tx,
    deliveryTasks[pool],
    sorted.map((domain) => ({ domain })),
    (i) => ({ key: sorted[i] as string }),
  )
}

/**
 * Adds the job for the rest of an MX set in the caller’s transaction. The job is due after at least `pause`
 * milliseconds.
 */
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
