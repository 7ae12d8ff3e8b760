import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { admitDeliveries } from './admit.ts'
import { type DeliveryEnd, judgeBatch } from './judge-batch.ts'
import { recordResults } from './record-results.ts'
import { notifyStreams } from './stream-channel.ts'

export interface ReleaseResult {
  count: number
  delays: readonly number[]
}

/**
 * Puts due deliveries into their streams, all in one transaction, because no provider is involved. Rows are locked in
 * the same order as in recordResults. Users are locked after messages, as when deliveries are created.
 */
export async function releaseStreams(
  tx: Db,
  lane: deliveries.Lane,
  limits: { lease: string; seconds: number; limit: number },
): Promise<ReleaseResult> {
  const begun = new Date()
  const claimed = await deliveries.claim(tx, lane, limits)
  if (claimed.length === 0) return { count: 0, delays: [] }
  await messages.lockMany(
    tx,
    claimed.map(({ message_id }) => message_id),
  )
  const { admitted, ended } = await admitDeliveries(tx, claimed)
  const events = await users.reserveEventNumbers(
    tx,
    admitted.map(({ device }) => device.push_user_id),
  )
  const numbered = admitted.flatMap(({ delivery: { id }, device }) => {
    const event = events.get(device.push_user_id)
    return event === undefined ? [] : [{ id, event }]
  })
  await deliveries.assignEventNumbers(tx, numbered)
  const done: DeliveryEnd[] = [
    ...admitted.map(({ delivery, message, device }): DeliveryEnd => {
      const verdict = { status: 'sent', reason: null, delay: 0, attempted: true } as const
      return { delivery, message, userId: device.user_id, verdict, answer: { outcome: 'sent', latencyMs: 0 } }
    }),
    ...judgeBatch({ sendable: [], ended }, [], false),
  ]
  await recordResults(tx, { lease: limits.lease, credential: undefined, probing: false, begun }, done)
  await notifyStreams(
    tx,
    admitted.map(({ device }) => device.id),
  )
  const delays = done.flatMap(({ verdict: { status, delay } }) => (status === 'queued' ? [delay] : []))
  return { count: claimed.length, delays }
}
