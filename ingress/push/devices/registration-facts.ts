import type { Registration } from '#sql/push/registrations.ts'
import { type DeviceForm, normalizeToken } from './forms.ts'
import type { SimpleDevice } from './registration-groups.ts'

/** True if the device is not a stream and does not replace a token. Such devices are registered in groups. */
export const isSimple = ({ push_provider, previous_token }: DeviceForm): boolean =>
  push_provider !== 'sse' && previous_token === undefined

export const simpleDevice = (body: DeviceForm, orgId: string): SimpleDevice => ({
  org_id: orgId,
  app_id: body.app_id.toLowerCase(),
  user_id: body.user_id ?? null,
  ...factsOf(body),
})

/** Returns the columns of a device. A stream has its ID instead of a token. */
export function factsOf(body: DeviceForm): Omit<Registration, 'org_id' | 'app_id' | 'push_user_id'> {
  const { push_provider: provider, subscription, environment, platform = null, locale = null, tags, time_zone } = body
  const facts = { provider, environment, platform, locale, tags, time_zone }
  if (subscription) return { ...facts, token: subscription.endpoint, keys: subscription.keys }
  return { ...facts, token: normalizeToken(provider, body.token ?? ''), keys: null }
}
