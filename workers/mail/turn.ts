import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as claims from '#sql/email/claims.ts'
import * as connections from '#sql/email/connections.ts'
import { persist } from '#sql/persist.ts'
import type { Turn } from '#tasks/email/engine.ts'
import { localAddresses } from '#tasks/email/rules/ip-addresses.ts'
import { wakeDomainLater, wakeSet } from '#tasks/email/rules/wake-delivery.ts'
import { intervalOf, recoveryMs } from './limits/pace.ts'
import { writeEach } from './outcomes/result.ts'
import { refused } from './outcomes/verdict.ts'
import type { NoRoute, Route } from './routes/route.ts'
import { Serving } from './serving.ts'
import type { Shared } from './site.ts'

/** Messages of a domain without a route that one transaction takes. */
const unroutedAtOnce = 200

/** Delivers what is due to the MX set of a domain, and has the next turn wait for what is left. */
export async function takeTurn(shared: Shared, turn: Turn, db: DatabasePool, signal: AbortSignal): Promise<void> {
  const { pool, router } = shared
  const { domain, set } = turn
  const route = await router.route(domain)
  const mxSet = 'replyClass' in route ? undefined : route.mxSet
  if (set !== undefined && set !== mxSet) {
    // The domain has another MX set by now: what waits for the old one must not wait for it to come back.
    if (mxSet !== undefined) await claims.reassign(db, pool, domain, set, mxSet)
    else await deferDomain(shared, domain, route as NoRoute, db, signal)
    await db.transaction((tx) => wakeSet(tx, pool, set))
    if (mxSet === undefined) return
  }
  if ('replyClass' in route) await deferDomain(shared, domain, route, db, signal)
  else await serve(shared, domain, route, db, signal)
}

/** Records for a domain's due messages that there is no way for them, now or ever. */
async function deferDomain(
  { pool }: Shared,
  domain: string,
  { replyClass, enhanced, text }: NoRoute,
  db: DatabasePool,
  signal: AbortSignal,
): Promise<void> {
  const refusal = { stage: 'dns', code: null, enhanced, text }
  for (let taken = unroutedAtOnce; taken === unroutedAtOnce && !signal.aborted; ) {
    taken = await db.transaction(async (tx) => {
      const messages = await claims.lockDomain(tx, pool, domain, unroutedAtOnce)
      const startedAt = new Date()
      await writeEach(
        tx,
        messages.map((message) => ({
          message,
          connection: null,
          verdict: refused(message, replyClass, refusal),
          pool,
          localAddress: null,
          next: message.pinned,
          replies: [{ ...refusal, ms: 0 }],
          startedAt,
        })),
      )
      return messages.length
    })
  }
  await db.transaction((tx) => wakeDomainLater(tx, pool, domain))
}

async function serve(
  shared: Shared,
  domain: string,
  route: Route,
  db: DatabasePool,
  signal: AbortSignal,
): Promise<void> {
  const id = newId()
  shared.connections.add(id)
  try {
    await serveOver(shared, id, domain, route, db, signal)
  } finally {
    shared.connections.delete(id)
  }
}

/** Serves over a connection of which the process knows from before it is taken until it was given back. */
async function serveOver(
  shared: Shared,
  id: string,
  domain: string,
  route: Route,
  db: DatabasePool,
  signal: AbortSignal,
): Promise<void> {
  const { pool, gauge } = shared
  gauge.add(route.mxSet, 'waiting', 1)
  let taken: connections.Taken
  try {
    taken = await take(shared, id, domain, route, db)
  } finally {
    gauge.add(route.mxSet, 'waiting', -1)
  }
  const address = localAddresses(pool).find((each) => each.address === taken.local_address)
  if (!address) return
  gauge.add(route.mxSet, 'open', 1)
  const { connections: most } = route.preset
  const interval = intervalOf(taken.level ?? 0, most)
  const mayGrow = (taken.live ?? most) < Math.max(1, most >> (taken.level ?? 0))
  const serving = new Serving(shared, db, { id, domain, route, address, interval, mayGrow }, signal)
  try {
    await serving.work()
  } finally {
    gauge.add(route.mxSet, 'open', -1)
    const unsent = serving.end()
    await persist(db, config.LEASE_MS, async (tx) => {
      await claims.lockSite(tx, pool, route.mxSet)
      await claims.release(tx, id, unsent)
      await connections.end(tx, id)
      await claims.assign(tx, pool, domain, route.mxSet)
      await wakeSet(tx, pool, route.mxSet, interval)
    })
  }
}

/**
 * Takes a connection, if one more may be open. If not, those that hold them see what waits when they end, as long as it is known
 * to be their MX set's: so that is made sure of before it is looked a second time.
 */
async function take(
  { pool, workerId }: Shared,
  id: string,
  domain: string,
  route: Route,
  db: DatabasePool,
): Promise<connections.Taken> {
  const { mxSet } = route
  const wanted = { id, pool, mxSet, most: route.preset.connections, recovery: recoveryMs, workerId }
  const addresses = await inOrder(db, pool, mxSet)
  const first = await connections.take(db, { ...wanted, addresses })
  if (first.local_address !== null) return first
  await claims.assign(db, pool, domain, mxSet)
  const second = await connections.take(db, { ...wanted, addresses })
  if (second.free_at) await db.transaction((tx) => wakeSet(tx, pool, mxSet))
  return second
}

/** The addresses of a pool: first the one that the first message due is bound to, the others in any order. */
async function inOrder(db: DatabasePool, pool: Shared['pool'], mxSet: string): Promise<string[]> {
  const all = localAddresses(pool).map(({ address }) => address)
  if (all.length === 1) return all
  const bound = await claims.firstPinned(db, pool, mxSet)
  const key = (address: string) => (address === bound ? -1 : Math.random())
  return all
    .map((address) => ({ address, key: key(address) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ address }) => address)
}
