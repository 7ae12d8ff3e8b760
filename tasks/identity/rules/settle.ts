import type { Db } from '#sql/db.ts'
import * as checks from '#sql/identity/checks.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Settles a check as `checks.settle` does, and tells webhooks how it stands. */
export async function settle(tx: Db, id: string, outcome: checks.Outcome): Promise<checks.Check> {
  const check = await checks.settle(tx, id, outcome)
  const { org_id, subject, requirement, status, method, reason_code, reason, expires_at } = check
  const about = { id, subject, requirement, status, method, reason_code, reason }
  await emit(tx, org_id, `identity.check.${status}`, { ...about, expires_at: expires_at?.toISOString() ?? null })
  return check
}
