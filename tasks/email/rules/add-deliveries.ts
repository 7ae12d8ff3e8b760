import type { Db } from '#sql/db.ts'
import { lastTurn } from '#sql/email/claims.ts'
import * as deliveries from '#sql/email/deliveries.ts'
import type { Stream } from '#sql/email/messages.ts'
import { wakeDomains } from './wake-delivery.ts'

/** The addresses from which a stream leaves: one's trouble never delays the other. */
export const ipPoolOf = (stream: Stream): deliveries.IpPool =>
  stream === 'transactional' || stream === 'security' ? 'transactional' : 'campaign'

const hour = 60 * 60_000

/** Milliseconds after which a message is given up: a code or link in a security mail is dead by then. */
export const giveUpMs: Record<Stream, number> = {
  security: 4 * hour,
  transactional: 24 * hour,
  subscribed: 48 * hour,
  repermission: 48 * hour,
}

/** A message that is to be delivered. */
export interface NewDelivery {
  messageId: string
  orgId: string
  stream: Stream
  /** The recipient's domain in ASCII and lower case. */
  toDomain: string
  /** When its time began: now unless said. What was released too late is given up all the same. */
  since?: Date | undefined
}

/** Messages of an organisation's backlog that are counted; one that has more is as far behind as can be told apart. */
const mostCounted = 4_096

/** Has messages delivered, which the caller's transaction has recorded as `queued`. */
export async function addDeliveries(tx: Db, messages: readonly NewDelivery[]): Promise<void> {
  for (const pool of deliveries.IpPool.options) {
    const ofPool = messages.filter(({ stream }) => ipPoolOf(stream) === pool)
    if (ofPool.length > 0) await addToPool(tx, pool, ofPool)
  }
}

async function addToPool(tx: Db, pool: deliveries.IpPool, messages: readonly NewDelivery[]): Promise<void> {
  const orgIds = [...new Set(messages.map(({ orgId }) => orgId))]
  const waiting = new Map(await deliveries.backlogs(tx, pool, orgIds, mostCounted))
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
  await wakeDomains(
    tx,
    pool,
    messages.map(({ toDomain }) => toDomain),
  )
}

/** The level of a message behind so many others of its organisation: one's backlog does not hold up another's mail. */
const turnOf = (before: number): number => Math.min(lastTurn, Math.floor(Math.log2(1 + before)))
