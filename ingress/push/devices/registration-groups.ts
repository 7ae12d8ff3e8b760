import { notFound, type Problem } from '#lib/errors.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import { registerMany } from '#sql/push/group-registrations.ts'
import type { InstallationView } from '#sql/push/installations.ts'
import type { Registration } from '#sql/push/registrations.ts'
import * as users from '#sql/push/users.ts'
import { createGroupCommit } from '../../http/database/group-commit.ts'

/** A device that is not a stream and does not replace a token. `user_id` is null for an anonymous device. */
export type SimpleDevice = Omit<Registration, 'push_user_id'> & { user_id: string | null }

/** Registers a device and returns its response. Throws 404 if the organisation does not have the app. */
export type RegisterInGroup = (device: SimpleDevice) => Promise<string>

/** Registers devices in the caller’s transaction. Returns a problem for each rejected device. */
async function commit(tx: Db, devices: readonly SimpleDevice[]): Promise<(InstallationView | Problem)[]> {
  const known = await apps.findMany(
    tx,
    devices.map(({ app_id }) => app_id),
  )
  const allowed = devices.filter(({ app_id, org_id }) => known.get(app_id)?.org_id === org_id)
  const owners = await users.findOrAdd(tx, allowed.flatMap(toUser))
  const registered = await registerMany(
    tx,
    allowed.map(({ user_id, ...device }) => ({ ...device, push_user_id: ownerOf(owners, device.app_id, user_id) })),
  )
  const rows = new Map(allowed.map((device, i) => [device, { ...registered[i], user_id: device.user_id }]))
  return devices.map((device) => (rows.get(device) as InstallationView | undefined) ?? notFound('app'))
}

const toUser = ({ org_id, app_id, user_id }: SimpleDevice) => (user_id === null ? [] : [{ org_id, app_id, user_id }])

const ownerOf = (owners: ReadonlyMap<string, string>, app_id: string, user_id: string | null): string | null =>
  user_id === null ? null : (owners.get(users.nameOf({ app_id, user_id })) as string)

const known = new WeakMap<DatabasePool, RegisterInGroup>()

/** Returns the function that registers devices. Devices that register at the same time share a transaction. */
export function registrationGroups(db: DatabasePool, toJson: (device: InstallationView) => string): RegisterInGroup {
  const before = known.get(db)
  if (before) return before
  const inGroup = createGroupCommit(db, { commit }, (device) => toJson(device as InstallationView))
  const register: RegisterInGroup = async (device) => (await inGroup(device)).text
  known.set(db, register)
  return register
}
