import { domainOf } from '#lib/email-address.ts'
import type { Db } from '#sql/db.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { addDeliveries } from './add-deliveries.ts'
import { recordOutcomes } from './record-outcomes.ts'

/**
 * Has messages delivered whose time has come, which makes them `queued` in the same transaction; returns how many. Those of a sandbox are
 * then recorded as sent. Whether each may still leave is asked right before its attempt, as of any other (delivery/admission).
 */
export async function releaseScheduled(tx: Db, orgId: string, limit: number): Promise<number> {
  const released = await scheduled.release(tx, orgId, limit)
  await addDeliveries(
    tx,
    released.flatMap(({ id, org_id, stream, to_email, sandbox, send_at }) =>
      sandbox
        ? []
        : [{ messageId: id, orgId: org_id, stream, toDomain: domainOf(to_email), since: send_at ?? undefined }],
    ),
  )
  await recordOutcomes(
    tx,
    released.flatMap(({ id, sandbox }) => (sandbox ? [{ messageId: id, status: 'sent' as const }] : [])),
  )
  return released.length
}
