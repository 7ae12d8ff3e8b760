import { config } from '#lib/config.ts'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as claims from '#sql/email/delivery/claims.ts'
import type * as connections from '#sql/email/delivery/connections.ts'
import type { IpPool } from '#sql/email/delivery/pool-keys.ts'
import { persist } from '#sql/persist.ts'
import type { NoRoute, Route } from '../../engine.ts'
import type { DeliveryJob } from '../delivery-tasks.ts'
import { enqueueDomainLater, enqueueMxSet, enqueueNext } from '../wake-delivery.ts'
import { getConnectionLimit, getInterval, takeConnection } from './connection-limits.ts'
import { findPool } from './dedicated.ts'
import { countConnection } from './gauges.ts'
import { ConnectionDelivery } from './over-connection.ts'
import { writeEach } from './record-results.ts'
import { type DeliveryState, type DeliveryTools, getSharedState } from './state.ts'
import { createRefused } from './verdict.ts'

const unroutedAtOnce = 200

/**
 * Delivers the due messages of an MX set over one connection, until no message is due or other jobs need the
 * connection. At the end, adds the job for the remaining messages.
 */
export async function deliver(job: DeliveryJob, shared: IpPool, tools: DeliveryTools): Promise<void> {
  const pool = await findPool(tools.db, shared, job.ip_pool)
  if (!pool) return
  const state = { ...getSharedState(tools), ...pool }
  state.load.active++
  try {
    await deliverDomain(state, job, tools.db, tools.signal)
  } finally {
    state.load.active--
  }
}

async function deliverDomain(
  state: DeliveryState,
  { domain, set }: DeliveryJob,
  db: DatabasePool,
  signal: AbortSignal,
): Promise<void> {
  const { pool, mail } = state
  const route = await mail.route(domain)
  const mxSet = 'replyClass' in route ? undefined : route.mxSet
  if (set !== undefined && set !== mxSet) {
    // The domain has a new MX set, so its messages must not wait for the previous MX set.
    if (mxSet !== undefined) await claims.reassign(db, pool, domain, set, mxSet)
    else await deferDomain(state, domain, route as NoRoute, db, signal)
    await db.transaction((tx) => enqueueMxSet(tx, pool, set))
    if (mxSet === undefined) return
  }
  if ('replyClass' in route) await deferDomain(state, domain, route, db, signal)
  else await serve(state, domain, route, db, signal)
}

async function deferDomain(
  { pool, shared }: DeliveryState,
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
          verdict: createRefused(message, replyClass, refusal),
          pool: shared,
          localAddress: null,
          next: message.pinned,
          replies: [{ ...refusal, ms: 0 }],
          startedAt,
        })),
      )
      return messages.length
    })
  }
  await db.transaction((tx) => enqueueDomainLater(tx, pool, domain))
}

async function serve(
  state: DeliveryState,
  domain: string,
  route: Route,
  db: DatabasePool,
  signal: AbortSignal,
): Promise<void> {
  const id = newId()
  state.holder.connections.add(id)
  try {
    await serveOver(state, id, domain, route, db, signal)
  } finally {
    state.holder.connections.delete(id)
  }
}

/** The worker records the connection before it takes it, and removes the record after the release. */
async function serveOver(
  state: DeliveryState,
  id: string,
  domain: string,
  route: Route,
  db: DatabasePool,
  signal: AbortSignal,
): Promise<void> {
  const { pool, shared } = state
  countConnection(shared, route.mxSet, 'waiting', 1)
  let grant: connections.ConnectionGrant
  try {
    grant = await take(state, id, domain, route, db)
  } finally {
    countConnection(shared, route.mxSet, 'waiting', -1)
  }
  const address = state.addresses.find((each) => each.address === grant.local_address)
  if (!address) return
  countConnection(shared, route.mxSet, 'open', 1)
  const { connections: most } = route.preset
  const { level, live } = { level: grant.level ?? 0, live: grant.live ?? most }
  const interval = getInterval(level, most)
  const mayGrow = live < getConnectionLimit(level, most)
  const delivery = new ConnectionDelivery(state, db, { id, domain, route, address, interval, mayGrow }, signal)
  try {
    await delivery.work()
  } finally {
    countConnection(shared, route.mxSet, 'open', -1)
    const unsent = delivery.end()
    await persist(db, config.LEASE_MS, async (tx) => {
      await claims.endConnection(tx, { id, pool, mxSet: route.mxSet, unsent })
      await enqueueNext(tx, { pool, mxSet: route.mxSet, domain, pause: interval })
    })
  }
}

/**
 * Takes a connection if the limits allow it. Otherwise, the holders of the connections find the waiting messages when
 * they end, but only if the messages are recorded for the MX set. So the messages are recorded before the second try.
 */
async function take(
  state: DeliveryState,
  id: string,
  domain: string,
  route: Route,
  db: DatabasePool,
): Promise<connections.ConnectionGrant> {
  const { pool, holder } = state
  const { mxSet } = route
  const addresses = await inOrder(db, state, mxSet)
  const request = { id, pool, addresses, mxSet, most: route.preset.connections, workerId: holder.workerId }
  const first = await takeConnection(db, request)
  if (first.local_address !== null) return first
  await claims.assign(db, pool, domain, mxSet)
  const second = await takeConnection(db, request)
  if (second.free_at) await db.transaction((tx) => enqueueMxSet(tx, pool, mxSet))
  return second
}

/**
 * Returns the addresses of a pool: first the address to which the first due message is bound, then the others in random
 * order.
 */
async function inOrder(db: DatabasePool, { pool, addresses }: DeliveryState, mxSet: string): Promise<string[]> {
  const all = addresses.map(({ address }) => address)
  if (all.length === 1) return all
  const bound = await claims.findFirstPinned(db, pool, mxSet)
  const key = (address: string) => (address === bound ? -1 : Math.random())
  return all
    .map((address) => ({ address, key: key(address) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ address }) => address)
}
