import type { Alert } from '#sql/account/budget-alerts.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { mailThreshold } from '../mail-threshold.ts'

/** Tells an organisation's owners of a threshold that is reached, if the transaction commits. */
export async function announceThreshold(tx: Db, alert: Alert): Promise<void> {
  const { org_id, metric, period, starts_on, percent } = alert
  await enqueue(tx, mailThreshold, { orgId: org_id, metric, period, startsOn: starts_on, percent }, { orgId: org_id })
}
