import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as checks from '#sql/identity/checks.ts'
import * as readings from '#sql/identity/readings.ts'
import { emit } from '../../webhooks/rules/emit.ts'
import { summariseReading } from './document-told.ts'

/** Settles a check like `checks.settle`, and sends events about its status and the decision. */
export async function settle(tx: Db, id: string, outcome: checks.Outcome): Promise<checks.Check> {
  const check = await checks.settle(tx, id, outcome)
  const { org_id, subject, requirement, status, method, reason_code, reason } = check
  const expires_at = check.expires_at?.toISOString() ?? null
  const about = { id, subject, requirement, method, expires_at }
  await emit(tx, org_id, `identity.check.${status}`, { ...about, status, reason_code, reason })
  if (status === 'submitted') return check
  const reading = check.object_id === null ? null : await readings.find(tx, org_id, check.object_id)
  await emit(tx, org_id, 'identity.check.decided', {
    ...about,
    status,
    decision_id: newId(),
    reasons: reason_code === null ? [] : [{ code: reason_code, reason: reason ?? '' }],
    document: reading && (await summariseReading(tx, reading, subject)),
  })
  return check
}
