import type { Db } from '#sql/db.ts'
import * as settingsRows from '#sql/verify/settings.ts'
import * as verifications from '#sql/verify/verifications.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { emitVerification } from './emit-verification.ts'
import { countCode } from './limits.ts'
import { sendTask } from './send-task.ts'

/**
 * Stores that a code could not be delivered. If the verification has a further channel, sends a new code there.
 * Otherwise reports that the verification is undeliverable.
 */
export async function recordFailure(
  tx: Db,
  verification: verifications.Verification,
  reason: string,
  send: number,
): Promise<void> {
  const failed = await verifications.setDelivery(tx, { id: verification.id, sends: send }, 'failed', reason)
  if (!failed || failed.shown === 'expired') return
  if (!(await fallBack(tx, failed))) await emitVerification(tx, 'verify.undeliverable', failed)
}

async function fallBack(tx: Db, failed: verifications.Verification): Promise<boolean> {
  const next = failed.channels[failed.channels.indexOf(failed.channel) + 1]
  if (next === undefined || failed.sends >= failed.max_sends) return false
  const { org_id: orgId, recipient, country, ip, sandbox } = failed
  if (!sandbox) {
    const exceeded = await countCode(tx, { orgId, recipient, country, ip }, await settingsRows.find(tx, orgId))
    if (exceeded.length > 0) return false
  }
  const moved = await verifications.fallBack(tx, failed, next)
  if (!moved) return false
  await enqueue(tx, sendTask, { id: moved.id, send: moved.sends }, { orgId })
  return true
}
