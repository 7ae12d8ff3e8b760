export const mask = '[masked]'

/**
 * Names of secrets. They match the last words of a field name, or any words of a name in a string. `_` matches any
 * separator or none.
 */
const names =
  'authorization|cookie|token|secret|password|passwd|passphrase|credentials?|signature|api_key|access_key|private_key|stream_key'.replaceAll(
    '_',
    '[_-]?',
  )

const shortNames = 'key|pin|otp'

const secretField = new RegExp(`(^|[_-])(${names}|${shortNames})$`, 'i')

/** Patterns of secrets that are recognised without a name, each with its replacement. */
const shapes: readonly (readonly [RegExp, string])[] = [
  // Matches user:password@ in URLs.
  [/(:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${mask}@`],
  [new RegExp(`([?&][\\w-]{0,40}(?:${names}|sig)=)[^&\\s"]+`, 'gi'), `$1${mask}`],
  [/\b(bearer|basic)\s+[^\s"']{8,}/gi, `$1 ${mask}`],
  // Matches API keys and webhook secrets.
  [/(?<!\w)(bt_(?:live_|site_|test_)?|(?:snd|mtz)_(?:live_|site_|test_)|sk_|whsec_)[A-Za-z0-9+/=_-]{8,}/g, `$1${mask}`],
  [/\bAKIA[A-Z0-9]{16}\b/g, mask],
  // Matches JSON Web Tokens with three parts, and Millrace tokens with two. The first part is a JSON object. The dot
  // can be URL-encoded.
  [/(?<![\w-])eyJ[\w-]{8,}(?:(?:\.|%2e)[\w-]*){1,2}/gi, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
]

/** Matches name=value and "name": "value". */
const assigned: readonly [RegExp, string] = [
  new RegExp(`((?:${names})[\\w-]{0,40}["']?\\s*[=:]\\s*)("[^"]*"|'[^']*'|[^\\s&,;"'}\\])]+)`, 'gi'),
  `$1${mask}`,
]

export const maskText = (text: string): string =>
  [...shapes, assigned].reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text)

export const looksSecret = (text: string): boolean => shapes.some(([pattern]) => text.search(pattern) !== -1)

export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return looksSecret(value) ? mask : value
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, isSecretField(name, field) ? mask : maskSecrets(field)]),
  )
}

/**
 * Masks secrets in the fields of a log line by the names of the fields, up to `depth` levels deep. Returns the same
 * object if it contains no secrets, otherwise a copy.
 */
export function maskFields<Fields extends object>(fields: Fields, depth = 5): Fields {
  let copy: Fields | undefined
  for (const [name, field] of Object.entries(fields)) {
    const masked = isSecretField(name, field)
      ? mask
      : depth > 1 && isObject(field)
        ? maskFields(field, depth - 1)
        : field
    if (masked === field) continue
    copy ??= copyOf(fields)
    Object.defineProperty(copy, name, { value: masked, enumerable: true })
  }
  return copy ?? fields
}

/**
 * Returns a shallow copy with the same prototype. The stack of an error is read from the original, because it is an
 * accessor that works only there.
 */
function copyOf<T extends object>(value: T): T {
  const copy = Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value))
  return value instanceof Error ? Object.defineProperty(copy, 'stack', { value: value.stack }) : copy
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

export const isSecretField = (name: string, field: unknown): boolean =>
  secretField.test(spelt(name)) && field !== null && field !== ''

/** Converts camel case: `accessKey` becomes `access_key`. */
const spelt = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
