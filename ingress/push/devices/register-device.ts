import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as installations from '#sql/push/installations.ts'
import { type Registration, register } from '#sql/push/registrations.ts'
import * as streamInstallations from '#sql/push/stream-installations.ts'
import * as users from '#sql/push/users.ts'
import { notifyStreams } from '#tasks/push/rules/stream-channel.ts'
import { type DeviceForm, normalizeToken } from './forms.ts'
import { factsOf } from './registration-facts.ts'

/** Registers a stream, or a device that replaces a token. */
export async function registerDevice(
  tx: Db,
  body: DeviceForm,
  of: Pick<Registration, 'org_id' | 'app_id'>,
): Promise<installations.Installation> {
  const { previous_token, push_provider, user_id } = body
  const user = user_id === undefined ? null : await users.put(tx, { ...of, user_id })
  const owner = { ...of, push_user_id: user?.id ?? null }
  const wanted = push_provider === 'sse' ? await streamRegistration(tx, body, owner) : { ...owner, ...factsOf(body) }
  const previous = previous_token === undefined ? undefined : normalizeToken(push_provider, previous_token)
  const registered = await register(tx, wanted, previous)
  // Ends the streams of a moved device and of removed devices.
  if (registered.provider === 'sse') {
    await notifyStreams(tx, [registered.id, ...(await streamInstallations.dropOldest(tx, registered))])
  }
  return registered
}

async function streamRegistration(tx: Db, body: DeviceForm, owner: Owner): Promise<Registration> {
  const id = await streamOf(tx, body, owner)
  const { device_id } = body
  return { ...owner, ...factsOf(body), id, token: id, ...(device_id !== undefined && { device_id }) }
}

/** Owner of a device. `null` means anonymous. */
type Owner = Pick<Registration, 'org_id' | 'app_id' | 'push_user_id'>

/**
 * Returns the ID of the stream that registers again. The stream is found by its ID or by its device. A deleted stream
 * starts again.
 */
async function streamOf(tx: Db, { token, device_id }: DeviceForm, user: Owner): Promise<string> {
  const ofDevice = device_id === undefined ? null : await streamInstallations.lockDevice(tx, user.app_id, device_id)
  const named = token === undefined ? null : await installations.find(tx, user.org_id, token)
  const isOwn = named?.app_id === user.app_id && named.provider === 'sse'
  if (!isOwn) return ofDevice?.id ?? newId()
  if (ofDevice && ofDevice.id !== named.id) {
    await installations.remove(tx, user.org_id, ofDevice.id)
    await notifyStreams(tx, [ofDevice.id])
  }
  return named.id
}
