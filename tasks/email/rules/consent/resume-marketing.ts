import type { DatabasePool } from '#sql/db.ts'
import * as reputation from '#sql/email/delivery/reputation.ts'
import * as controls from '#sql/jobs/controls.ts'
import { emit } from '../../../webhooks/rules/emit.ts'

/**
 * Resumes an organisation’s marketing for an operator. Returns false if marketing is not paused. Rates count from the
 * next day (UTC). If the older messages counted, the next bounce would pause marketing again.
 */
export async function resumeMarketing(db: DatabasePool, orgId: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await reputation.resume(tx, orgId))) return false
    await emit(tx, orgId, 'email.marketing.resumed', {})
    await controls.recordAction(tx, { actor, action: 'resume', target: `marketing of ${orgId}`, count: 1 })
    return true
  })
}
