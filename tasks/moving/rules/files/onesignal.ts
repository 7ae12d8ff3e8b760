import { findOutboundFault } from '#lib/http.ts'
import { isTimeZone } from '#lib/time-zone.ts'
import type { PreparedRow } from '../prepare-rows.ts'
import type { PreparedDevice } from '../write/devices.ts'
import type { CsvRecord } from './records.ts'

/** Types of devices in the export of OneSignal that Millrace can send to. */
const types = new Map<string, { provider: PreparedDevice['provider']; platform: string }>([
  ['0', { provider: 'apns', platform: 'ios' }],
  ['1', { provider: 'fcm', platform: 'android' }],
  ['5', { provider: 'webpush', platform: 'web' }],
  ['8', { provider: 'webpush', platform: 'web' }],
  ['9', { provider: 'webpush', platform: 'web' }],
  ['17', { provider: 'webpush', platform: 'web' }],
])

/** Returns the device of a record of the export, or why it cannot be imported. */
export function deviceOf(record: CsvRecord): PreparedRow {
  const { values, line } = record
  const value = (name: string) => values[name]?.trim() ?? ''
  const id = value('id') || `line ${line}`
  const made = readDevice(value)
  const user = value('externaluserid')
  const row = {
    part: 'devices' as const,
    external_id: id.slice(0, 500),
    issues: [],
    user_id: isUser(user) ? user : null,
  }
  if (typeof made === 'string') return { ...row, label: `line ${line}`, item: null, outcome: 'invalid', reason: made }
  const label = `${made.platform} …${made.token.slice(-8)}`
  return { ...row, label, item: { ...made, user_id: row.user_id }, outcome: null, reason: null }
}

const isUser = (id: string): boolean => id !== '' && id.length <= 256 && !/\p{Cc}/u.test(id)

function readDevice(value: (name: string) => string): Omit<PreparedDevice, 'user_id'> | string {
  const type = types.get(value('devicetype'))
  if (!type) return `The device type ${value('devicetype').slice(0, 20) || '(empty)'} is not supported.`
  if (/^(t|true|yes|1)$/i.test(value('invalididentifier'))) return 'The device has unsubscribed or was removed.'
  if (value('notificationtypes') !== '' && Number(value('notificationtypes')) <= 0)
    return 'The device has unsubscribed.'
  const token = tokenOf(type.provider, value('identifier'))
  if (token === null) return 'The push token is invalid.'
  const keys =
    type.provider === 'webpush' ? { p256dh: toBase64Url(value('webp256')), auth: toBase64Url(value('webauth')) } : null
  if (keys && (sizeOf(keys.p256dh) !== 65 || sizeOf(keys.auth) !== 16))
    return 'The keys web_auth and web_p256 are missing or invalid. Export them as extra fields.'
  const language = value('language').replaceAll('_', '-')
  const zone = [value('timezoneid'), value('timezone')].find((name) => name !== '' && isTimeZone(name))
  return {
    ...type,
    ...{ environment: 'production', token, keys, tags: tagsOf(value('tags')), time_zone: zone ?? null },
    locale: /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(language) && language.length <= 35 ? language : null,
  }
}

function tokenOf(provider: PreparedDevice['provider'], text: string): string | null {
  if (provider === 'apns') return /^([0-9a-fA-F]{2}){16,100}$/.test(text) ? text.toLowerCase() : null
  if (provider === 'fcm') return /^[\w:.-]{20,4096}$/.test(text) ? text : null
  // The export of older browsers contains only the last part of the URL.
  const url = URL.parse(/^[\w:.-]{20,4096}$/.test(text) ? `https://fcm.googleapis.com/fcm/send/${text}` : text)
  if (url?.protocol !== 'https:' || url.username || url.password || url.href.length > 4_096) return null
  return findOutboundFault(url) === undefined ? url.href : null
}

const toBase64Url = (text: string): string =>
  text
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')

const sizeOf = (text: string): number => (/^[\w-]+$/.test(text) ? Buffer.from(text, 'base64url').length : 0)

const mostTags = 50

/** Returns the tags of OneSignal, a JSON object, as `name:value`. */
function tagsOf(text: string): string[] {
  try {
    const given = JSON.parse(text === '' ? '{}' : text) as Record<string, unknown>
    if (typeof given !== 'object' || given === null) return []
    const tags = Object.entries(given).map(([name, value]) => `${name}:${String(value)}`)
    return [...new Set(tags)].filter((tag) => tag.length <= 64 && !/\p{Cc}/u.test(tag)).slice(0, mostTags)
  } catch {
    return []
  }
}
