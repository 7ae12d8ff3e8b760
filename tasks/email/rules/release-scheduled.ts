import { getDomain } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { isSimulated } from '#sql/email/simulator.ts'
import { addDeliveries } from './add-deliveries.ts'
import { recordOutcomes } from './record-outcomes.ts'

/**
 * Sets due messages to `queued` and adds their delivery jobs in the same transaction. Returns the number of messages.
 * Test messages become `sent`, except to simulated recipients. Whether a message may be sent is checked directly before
 * its attempt (delivery/admission).
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
      toDomain: getDomain(to_email),
      since: send_at ?? undefined,
    })),
  )
  await recordOutcomes(
    tx,
    alone.map(({ id }) => ({ messageId: id, status: 'sent' as const })),
  )
  return released.length
}
