import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'

export interface Outcome {
  id: string
  status: 'queued' | 'sent' | 'failed' | 'expired' | 'cancelled'
  reason: string | null
  /** True if the provider received the delivery. */
  attempted: boolean
  /** Delay in seconds until a queued delivery is due again. */
  delay: number
}

const RecordedOutcome = z.object({
  id: Id,
  status: z.enum(['queued', 'sent', 'failed', 'expired', 'cancelled', 'delivered']),
})

/**
 * Records results of deliveries that still have this lease, and ends the lease. Returns their status. Skips deliveries
 * that another job has taken over. If a delivery has an earlier receipt, it becomes `delivered` regardless of its
 * result.
 */
export async function record(
  tx: Db,
  lease: string,
  outcomes: readonly Outcome[],
): Promise<ReadonlyMap<string, Outcome['status'] | 'delivered'>> {
  if (outcomes.length === 0) return new Map()
  const recorded = await tx.any(sql.type(RecordedOutcome)`
    with given as (
      select * from json_to_recordset(${JSON.stringify(outcomes)}::json)
        as g (id uuid, status text, reason text, attempted boolean, delay double precision)
    ), locked as (
      select d.id, g.status, g.reason, g.attempted, g.delay
      from push.deliveries as d join given as g on ${byKey('d.id', 'g.id', allOf('id', 'given'))}
      where d.leased_by = ${lease} and d.status = 'queued'
      order by d.id for update of d
    )
    update push.deliveries as d
    set status = case when d.delivered_at is null then l.status else 'delivered' end,
      reason = case when d.delivered_at is null then l.reason end, leased_by = null, due_at = now() + l.delay * interval '1 second',
      attempts = d.attempts + case when l.attempted then 1 else 0 end,
      sent_at = case when l.status = 'sent' then now() else d.sent_at end
    from locked as l where ${byKey('d.id', 'l.id', allOf('id', 'locked'))}
    returning d.id, d.status`)
  return new Map(recorded.map(({ id, status }) => [id, status]))
}
