import { domainOf } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { addDeliveries } from './add-deliveries.ts'
import { recordOutcomes } from './record-outcomes.ts'

/**
 * Has messages delivered whose time has come, which makes them `queued` in the same transaction; returns how many. Those of a sandbox are
 * then recorded as sent, unless a simulated receiver gets them. Whether each may still leave is asked right before its attempt, as of any other (delivery/admission).
 */
export async function releaseScheduled(tx: Db, orgId: string, limit: number): Promise<number> {
  const released = await scheduled.release(tx, orgId, limit)
  const { alone = [], delivered = [] } = Object.groupBy(released, ({ sandbox, to_email }) =>
    sandbox && !isSimulated(to_email) ? 'alone' : 'delivered',
  )
  await addDeliveries(
    tx,
    delivered.map(({ id, org_id, stream, to_email, send_at }) => ({
      messageId: id,
      orgId: org_id,
      stream,
      toDomain: domainOf(to_email),
      since: send_at ?? undefined,
    })),
  )
  await recordOutcomes(
    tx,
    alone.map(({ id }) => ({ messageId: id, status: 'sent' as const })),
  )
  return released.length
}
