import type { Db } from '#sql/db.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { recordOutcomes } from './record-outcomes.ts'

/**
 * Cancels a message and its copies, those that have not left: each of them either leaves or is cancelled, never both. Returns how many
 * were; what never left counts in no month's plan.
 */
export async function cancelMessage(tx: Db, orgId: string, id: string): Promise<number> {
  const taken = await scheduled.takeBack(tx, orgId, id)
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
