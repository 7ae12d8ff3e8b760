import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as cancellations from '#sql/push/cancellations.ts'
import * as messages from '#sql/push/messages.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'

/** Number of deliveries and of messages per statement. They are low enough to hold no lock for long. */
const [mostDeliveries, mostMessages] = [1_000, 100]

/**
 * Delay in milliseconds after which messages with deliveries in progress are tried again. The responses have arrived by
 * then.
 */
const laterMs = 60_000

/**
 * Deletes the messages to a deleted user, and ends pending deliveries of messages to many for the user’s devices. It
 * only affects messages before an ID, because the user may have registered again since.
 */
export const forgetUser = task({
  name: 'push/forget-user',
  pool: 'push',
  payload: z.object({ orgId: Id, appId: Id, userId: z.string(), before: Id, installationIds: z.array(Id) }),
  async run({ orgId, appId, userId, before, installationIds }, { db, signal }) {
    const person = { org_id: orgId, app_id: appId, user_id: userId }
    await db.transaction(async (tx) => {
      const cancelled = await cancellations.cancelDeliveriesToDevices(tx, person, installationIds)
      await messages.endMany(tx, [...new Set(cancelled)])
    })
    await cancellations.cancelMessagesToUser(db, person, before)
    while ((await cancellations.cancelDeliveriesToUser(db, person, before, mostDeliveries)) > 0) signal.throwIfAborted()
    while ((await cancellations.removeMessagesToUser(db, person, before, mostMessages)) > 0) signal.throwIfAborted()
    if (!(await cancellations.hasMessagesToUser(db, person, before))) return
    const at = new Date(Date.now() + laterMs)
    await enqueue(db, forgetUser, { ...{ orgId, appId, userId, before }, installationIds: [] }, { orgId, at })
  },
})
