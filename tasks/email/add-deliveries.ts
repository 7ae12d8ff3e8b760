import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/email/deliveries.ts'
import type { Stream } from '#sql/email/messages.ts'

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
export interface Outgoing {
  messageId: string
  orgId: string
  stream: Stream
  /** The recipient's domain in ASCII and lower case. */
  toDomain: string
}

/** Has messages delivered, which the caller's transaction has recorded as `queued`. */
export async function addDeliveries(tx: Db, messages: readonly Outgoing[]): Promise<void> {
  const rows = messages.map(({ messageId, orgId, stream, toDomain }) => ({
    message_id: messageId,
    org_id: orgId,
    pool: ipPoolOf(stream),
    to_domain: toDomain,
    turn: 0,
    give_up_at: new Date(Date.now() + giveUpMs[stream]).toISOString(),
  }))
  await deliveries.insertMany(tx, rows)
}
