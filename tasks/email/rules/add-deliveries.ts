import type { Db } from '#sql/db.ts'
import { highestTurn } from '#sql/email/delivery/claims.ts'
import * as deliveries from '#sql/email/delivery/deliveries.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { type IpPool, type PoolKey, toPoolKey } from '#sql/email/delivery/pool-keys.ts'
import type { Stream } from '#sql/email/messages.ts'
import { enqueueDomains } from './wake-delivery.ts'

/**
 * Returns the pool of IP addresses of a stream. Pools are separate, so that problems of one pool do not delay the
 * other.
 */
export const getIpPool = (stream: Stream): IpPool =>
  stream === 'transactional' || stream === 'security' ? 'transactional' : 'campaign'

const hour = 60 * 60_000

/** Time in milliseconds after which a message is given up. For `security`, codes and links have expired by then. */
export const giveUpMs: Record<Stream, number> = {
  security: 4 * hour,
  transactional: 24 * hour,
  subscribed: 48 * hour,
  repermission: 48 * hour,
}

export interface NewDelivery {
  messageId: string
  orgId: string
  stream: Stream
  /** Domain in ASCII and lower case. */
  toDomain: string
  /** Start of the delivery time. Default: now. A message that is released too late is also given up. */
  since?: Date | undefined
}

/** Maximum number of messages of a backlog that are counted. Above this number, the level does not change. */
const mostCounted = 4_096

export async function addDeliveries(tx: Db, messages: readonly NewDelivery[]): Promise<void> {
  if (messages.length === 0) return
  const dedicated = await ipPools.findNames(tx, [...new Set(messages.map(({ orgId }) => orgId))])
  const byPool = Map.groupBy(messages, ({ stream, orgId }) => toPoolKey(getIpPool(stream), dedicated.get(orgId)))
  // In a fixed order, so that transactions with common pools wait instead of deadlocking.
  for (const pool of [...byPool.keys()].sort().toReversed()) await addToPool(tx, pool, byPool.get(pool) ?? [])
}

async function addToPool(tx: Db, pool: PoolKey, messages: readonly NewDelivery[]): Promise<void> {
  const orgIds = [...new Set(messages.map(({ orgId }) => orgId))]
  const waiting = new Map(await deliveries.countBacklogs(tx, pool, orgIds, mostCounted))
  const rows = messages.map(({ messageId, orgId, stream, toDomain, since }) => {
    const before = waiting.get(orgId) ?? 0
    waiting.set(orgId, before + 1)
    return {
      message_id: messageId,
      org_id: orgId,
      pool,
      to_domain: toDomain,
      turn: turnOf(before),
      give_up_at: new Date((since?.getTime() ?? Date.now()) + giveUpMs[stream]).toISOString(),
    }
  })
  await deliveries.insertMany(tx, rows)
  await enqueueDomains(
    tx,
    pool,
    messages.map(({ toDomain }) => toDomain),
  )
}

/**
 * Returns the level of a message that is behind `before` other messages of its organisation. A backlog of one
 * organisation then does not delay other organisations.
 */
const turnOf = (before: number): number => Math.min(highestTurn, Math.floor(Math.log2(1 + before)))
