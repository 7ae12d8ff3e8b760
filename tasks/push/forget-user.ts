import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as cancellations from '#sql/push/cancellations.ts'
import * as messages from '#sql/push/messages.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'

/** Deliveries, and messages with theirs, that one statement ends or deletes: few enough to hold no lock for long. */
const [mostDeliveries, mostMessages] = [1_000, 100]

/** Milliseconds after which it is seen again to messages of which a delivery is under way: its answer is there by then. */
const laterMs = 60_000

/**
 * Deletes the messages to somebody who was removed, and ends what waits for their devices of messages to many. Before an id:
 * they may have been registered again since.
 */
export const forgetUser = task({
  name: 'push/forget-user',
  pool: 'push',
  payload: z.object({ orgId: Id, appId: Id, userId: z.string(), before: Id, installationIds: z.array(Id) }),
  async run({ orgId, appId, userId, before, installationIds }, { db, signal }) {
    const person = { org_id: orgId, app_id: appId, user_id: userId }
    await db.transaction(async (tx) => {
      const cancelled = await cancellations.cancelFor(tx, person, installationIds)
      await messages.endMany(tx, [...new Set(cancelled)])
    })
    await cancellations.cancelTo(db, person, before)
    while ((await cancellations.cancelDeliveriesTo(db, person, before, mostDeliveries)) > 0) signal.throwIfAborted()
    while ((await cancellations.removeTo(db, person, before, mostMessages)) > 0) signal.throwIfAborted()
    if (!(await cancellations.isAnyTo(db, person, before))) return
    const at = new Date(Date.now() + laterMs)
    await enqueue(db, forgetUser, { ...{ orgId, appId, userId, before }, installationIds: [] }, { orgId, at })
  },
})
