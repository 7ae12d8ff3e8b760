import type { Alert } from '#sql/account/budget-alerts.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { mailThreshold } from '../mail-threshold.ts'

/** Tells an organisation's webhooks and owners of a threshold that is reached, if the transaction commits. */
export async function announceThreshold(tx: Db, alert: Alert): Promise<void> {
  const { org_id, metric, period, starts_on, percent, used, limit: budget } = alert
  const counted = period === 'month' ? starts_on.slice(0, 7) : starts_on
  await emit(tx, org_id, 'account.usage.threshold', { metric, period: counted, used, budget, percent })
  await enqueue(tx, mailThreshold, { orgId: org_id, metric, period, startsOn: starts_on, percent }, { orgId: org_id })
}
