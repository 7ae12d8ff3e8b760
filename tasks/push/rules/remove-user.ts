import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as installations from '#sql/push/installations.ts'
import * as users from '#sql/push/users.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { forgetUser } from '../forget-user.ts'
import { notifyStreams } from './stream-channel.ts'

const atOnce = 1_000

/**
 * Deletes a user of an app with devices and subscriptions, and adds a job that deletes messages to the user. Returns
 * the number of devices. `null` if the user does not exist.
 */
export async function removeUser(
  tx: Db,
  { id: appId, org_id: orgId }: { id: string; org_id: string },
  userId: string,
): Promise<number | null> {
  const user = await users.findOne(tx, appId, userId)
  if (!user) return null
  const devices = await installations.removeAllForUser(tx, user.id)
  await users.remove(tx, user.id)
  const before = newId()
  for (let i = 0; i === 0 || i < devices.length; i += atOnce) {
    const installationIds = devices.slice(i, i + atOnce)
    await enqueue(tx, forgetUser, { orgId, appId, userId, before, installationIds }, { orgId })
  }
  await notifyStreams(tx, devices)
  return devices.length
}
