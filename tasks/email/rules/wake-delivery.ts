import type { Db } from '#sql/db.ts'
import { lockSite, type Next, nextOf, nextOfDomain } from '#sql/email/claims.ts'
import type { IpPool } from '#sql/email/deliveries.ts'
import { enqueue, enqueueMany } from '../../queue/enqueue.ts'
import { deliveryTasks } from './delivery-tasks.ts'
import { localAddresses } from './ip-addresses.ts'

/**
 * Wake-ups of delivery. A message that is due has one, always: who adds messages enqueues a job for each domain in the same
 * transaction, under the domain's key. The end of a job enqueues one for what is left of the MX set, under a key of the set: it is
 * decided under a lock (`lockSite`), so the last to decide has seen what all before have deferred. The keys differ, as a later
 * wake-up must not take the place of one that new messages need now.
 */

/** Wakes delivery for domains now. */
export async function wakeDomains(tx: Db, pool: IpPool, domains: Iterable<string>): Promise<void> {
  // In one order, so that two transactions with domains in common wait instead of deadlocking.
  const sorted = [...new Set(domains)].sort()
  if (sorted.length === 0) return
  await enqueueMany(
    tx,
    deliveryTasks[pool],
    sorted.map((domain) => ({ domain })),
    (i) => ({ key: sorted[i] as string }),
  )
}

/** Wakes delivery for what is left of an MX set when it is due, in the caller's transaction, and in `pause` milliseconds at the soonest. */
export async function wakeSet(tx: Db, pool: IpPool, mxSet: string, pause = 0): Promise<void> {
  await lockSite(tx, pool, mxSet)
  const addresses = localAddresses(pool).map(({ address }) => address)
  await wakeAt(tx, pool, await nextOf(tx, pool, mxSet, addresses, pause), `set ${mxSet}`, mxSet)
}

/** The same for a domain whose MX set is not to be had. */
export async function wakeDomainLater(tx: Db, pool: IpPool, domain: string): Promise<void> {
  await lockSite(tx, pool, domain)
  await wakeAt(tx, pool, await nextOfDomain(tx, pool, domain), `domain ${domain}`)
}

/** Has one more connection help with an MX set's backlog. */
export async function wakeHelper(db: Db, pool: IpPool, domain: string, mxSet: string): Promise<void> {
  await enqueue(db, deliveryTasks[pool], { domain, set: mxSet }, { key: `more ${mxSet}` })
}

async function wakeAt(tx: Db, pool: IpPool, next: Next | null, key: string, set?: string): Promise<void> {
  if (next) await enqueue(tx, deliveryTasks[pool], { domain: next.domain, set }, { key, at: next.at })
}
