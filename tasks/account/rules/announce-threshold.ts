import { type Alert, record } from '#sql/account/usage/budget-alerts.ts'
import type { Db } from '#sql/db.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import { emitMany } from '../../webhooks/rules/emit.ts'
import { mailThreshold } from '../mail-threshold.ts'

/**
 * Reports thresholds to webhooks and owners when the transaction commits. Skips thresholds that were reported in the
 * meantime.
 */
export async function announceThresholds(tx: Db, reached: readonly Alert[]): Promise<void> {
  const alerts = await record(tx, reached)
  await emitMany(
    tx,
    alerts.map(({ org_id, metric, period, starts_on, percent, used, limit: budget }) => ({
      orgId: org_id,
      type: 'account.usage.threshold',
      data: { metric, period: period === 'month' ? starts_on.slice(0, 7) : starts_on, used, budget, percent },
    })),
  )
  await enqueueMany(
    tx,
    mailThreshold,
    alerts.map(({ org_id, metric, period, starts_on, percent }) => ({
      orgId: org_id,
      metric,
      period,
      startsOn: starts_on,
      percent,
    })),
    (i) => ({ orgId: (alerts[i] as Alert).org_id }),
  )
}
