import { formatAmount } from '#lib/amount.ts'
import type { Period } from '#sql/ai/key-limits.ts'
import type { Db } from '#sql/db.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { mailKeyThreshold } from '../mail-key-threshold.ts'

export interface KeyThreshold {
  orgId: string
  keyId: string
  name: string
  period: Period
  /** First day of the period in UTC. */
  startsOn: string
  percent: number
  /** Billionths of the currency. */
  used: number
  limit: number
  currency: string
}

/** Reports a threshold to webhooks and owners when the transaction commits. */
export async function announceKeyThresholds(tx: Db, reached: KeyThreshold): Promise<void> {
  const { orgId, keyId, name, period, startsOn, percent, currency } = reached
  const [used, budget] = [formatAmount(reached.used), formatAmount(reached.limit)]
  await emit(tx, orgId, 'ai.budget.threshold', {
    key_id: keyId,
    key_name: name,
    period: period === 'month' ? startsOn.slice(0, 7) : startsOn,
    currency,
    used,
    budget,
    percent,
  })
  const mail = { orgId, keyId, name, period, startsOn, percent, used, budget, currency }
  await enqueue(tx, mailKeyThreshold, mail, { orgId })
}
