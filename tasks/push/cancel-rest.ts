import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as cancellations from '#sql/push/cancellations.ts'
import { task } from '../queue/task.ts'

/** Number of deliveries ended per statement. It is low enough to hold no lock for long. */
const atOnce = 2_000

/**
 * Ends pending deliveries of a message that was cancelled while it was being sent. Deliveries in progress end on their
 * own.
 */
export const cancelRest = task({
  name: 'push/cancel-rest',
  pool: 'push',
  payload: z.object({ messageId: Id }),
  async run({ messageId }, { db, signal }) {
    while ((await cancellations.cancelDeliveriesOfMessage(db, messageId, atOnce)) > 0) signal.throwIfAborted()
  },
})
