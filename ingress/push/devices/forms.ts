import { z } from 'zod'
import { findOutboundFault } from '#lib/http.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import { urlText } from '../../http/request/url-text.ts'
import { DeviceId, Locale, Tags, TimeZone, UserId } from '../fields.ts'

/** Matches an APNs device token: hexadecimal, without a fixed length. */
const apnsToken = /^([0-9a-fA-F]{2}){16,100}$/

/** The index of tokens has room for 2.6 KB. */
const fcmToken = /^[\w:.-]{20,2600}$/

const octets = (length: number, what: string) =>
  z.string().refine((text) => {
    return /^[\w-]+={0,2}$/.test(text) && Buffer.from(text, 'base64url').length === length
  }, `must be ${what} in base64url`)

const Endpoint = urlText(faultOf)

/**
 * Returns an error message if the URL of a push service is invalid. The browser sends this URL, so it can contain
 * anything.
 */
function faultOf(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') return 'must be an https:// URL'
  if (url.username || url.password) return 'must not contain a user name or a password'
  return findOutboundFault(url)
}

const Token = secret(z.string().min(1).max(4_096))

/** Schema of the result of `PushManager.subscribe` in JSON (Push API, `PushSubscriptionJSON`). */
export const Subscription = z.strictObject({
  endpoint: secret(Endpoint),
  expirationTime: z.number().nullable().optional(),
  keys: secret(z.strictObject({ p256dh: octets(65, 'a P-256 point'), auth: octets(16, '16 octets') })),
})

export const DeviceForm = z
  .strictObject({
    app_id: Id,
    user_id: UserId.optional().describe(
      'Your own ID for the user. If omitted, the device is anonymous until it is claimed.',
    ),
    push_provider: z.enum(['apns', 'fcm', 'webpush', 'sse']),
    token: Token.optional().describe(
      '`apns` and `fcm`: device token. `sse`: ID of the installation, to renew its stream.',
    ),
    device_id: DeviceId.optional().describe('`sse`: your own ID for the device. A device has one stream.'),
    previous_token: Token.optional().describe('Token that the new one replaces. For `webpush`, the endpoint.'),
    subscription: Subscription.optional().describe('`webpush`: result of `PushManager.subscribe`'),
    platform: z
      .string()
      .max(32)
      .regex(/^[a-z0-9_.-]+$/, 'must contain only lower-case letters, digits and _ . -, such as ios')
      .optional(),
    locale: Locale.optional(),
    time_zone: TimeZone.nullable()
      .optional()
      .describe(
        'Time zone of the device. It takes precedence over the user’s time zone. Omit it to keep the current value.',
      ),
    tags: Tags.optional().describe('Tags for segments, up to 50. Omit it to keep the current tags.'),
    environment: z
      .enum(['production', 'sandbox'])
      .default('production')
      .describe('Only APNs has a sandbox. Default: `production`.'),
  })
  .superRefine((form, context) => {
    for (const [field, message] of faultsOf(form)) context.addIssue({ code: 'custom', path: [field], message })
  })

export type DeviceForm = z.output<typeof DeviceForm>

interface DeviceFields {
  push_provider: 'apns' | 'fcm' | 'webpush' | 'sse'
  token?: string | undefined
  device_id?: string | undefined
  previous_token?: string | undefined
  subscription?: object | undefined
  environment: string
}

const tokenForms = {
  apns: { fits: (token: string) => apnsToken.test(token), issue: 'must have 32 to 200 hexadecimal digits' },
  fcm: {
    fits: (token: string) => fcmToken.test(token),
    issue: 'must be an FCM registration token of 20 to 2,600 characters',
  },
  sse: { fits: (token: string) => Id.safeParse(token).success, issue: 'must be the ID of the installation' },
  webpush: { fits: () => false, issue: 'cannot be used with `webpush`: use `subscription`' },
}

function faultsOf({
  push_provider,
  token,
  device_id,
  previous_token,
  subscription,
  environment,
}: DeviceFields): [string, string][] {
  const form = tokenForms[push_provider]
  const isWeb = push_provider === 'webpush'
  const faults: [string, string, boolean][] = [
    ['token', 'is required', token === undefined && (push_provider === 'apns' || push_provider === 'fcm')],
    ['token', form.issue, token !== undefined && !form.fits(token)],
    ['subscription', 'is required', isWeb && subscription === undefined],
    ['subscription', 'can only be used with `webpush`', !isWeb && subscription !== undefined],
    ['environment', 'can only be used with `apns`', push_provider !== 'apns' && environment === 'sandbox'],
    ['device_id', 'can only be used with `sse`', push_provider !== 'sse' && device_id !== undefined],
    ['previous_token', 'cannot be used with `sse`', push_provider === 'sse' && previous_token !== undefined],
  ]
  return faults.filter(([, , isSo]) => isSo).map(([field, issue]) => [field, issue])
}

export const normalizeToken = (provider: DeviceForm['push_provider'], token: string): string =>
  provider === 'apns' ? token.toLowerCase() : token
