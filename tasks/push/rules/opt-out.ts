import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as cancellations from '#sql/push/cancellations.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'

/** Maximum number of devices of a user whose deliveries are ended in the transaction. */
const mostDevices = 1_000

/** Maximum number of deliveries of messages to one user that are ended in the transaction. */
const mostDeliveries = 1_000

/**
 * Stores that a person receives no push messages, or receives them again. Pending deliveries end. Returns the number of
 * users that changed.
 */
export async function setOptOut(
  tx: Db,
  orgId: string,
  ids: readonly { app_id: string | null; user_id: string }[],
  source: string | null,
): Promise<number> {
  const changed = await users.setOptedOut(tx, orgId, ids, source)
  if (source !== null) for (const user of changed) await endPending(tx, user)
  return changed.length
}

/** Ends deliveries to a user that wait. Deliveries that are being sent are not ended. */
export async function endPending(tx: Db, { id, org_id, app_id, user_id }: users.User): Promise<void> {
  if (user_id === null) return
  const person = { org_id, app_id, user_id }
  const devices = (await installations.listForUsers(tx, [id], mostDevices)).map((device) => device.id)
  await messages.endMany(tx, [...new Set(await cancellations.cancelDeliveriesToDevices(tx, person, devices))])
  await cancellations.cancelMessagesToUser(tx, person, newId())
  await cancellations.cancelDeliveriesToUser(tx, person, newId(), mostDeliveries)
}
