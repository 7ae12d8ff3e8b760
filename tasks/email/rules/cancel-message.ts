import type { Db } from '#sql/db.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { recordOutcomes } from './record-outcomes.ts'

/**
 * Cancels a message and its copies, except those that were already sent. Returns the number of cancelled messages.
 * Cancelled messages are not counted in the month.
 */
export async function cancelMessage(tx: Db, orgId: string, id: string): Promise<number> {
  const taken = await scheduled.cancelUnsent(tx, orgId, id)
  await recordOutcomes(
    tx,
    taken.map((messageId) => ({
      messageId,
      status: 'cancelled',
      reason: 'The message was cancelled.',
      uncounted: true,
    })),
  )
  return taken.length
}
