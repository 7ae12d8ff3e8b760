/** What stands where a secret was. */
export const mask = '[masked]'

/** Names of secrets, as the last words of a field and as any words of a name in text; `_` is any or no separator. */
const names =
  'authorization|cookie|token|secret|password|passwd|passphrase|credentials?|signature|api_key|access_key|private_key|stream_key'.replaceAll(
    '_',
    '[_-]?',
  )

/** Fields that hold secrets, too; in text these words mean other things. */
const shortNames = 'key|pin|otp'

const secretField = new RegExp(`(^|[_-])(${names}|${shortNames})$`, 'i')

/** What secrets look like, whatever their name, and what stands for each in text. */
const shapes: readonly (readonly [RegExp, string])[] = [
  // user:password@ in URLs.
  [/(:\/\/[^\s/:@]*):[^\s/@]+@/g, `$1:${mask}@`],
  // Signed URLs.
  [new RegExp(`([?&][\\w-]{0,40}(?:${names}|sig)=)[^&\\s"]+`, 'gi'), `$1${mask}`],
  [/\b(bearer|basic)\s+[^\s"']{8,}/gi, `$1 ${mask}`],
  // API keys and webhook secrets.
  [/(?<!\w)(bt_(?:live_|site_|test_)?|(?:snd|mtz)_(?:live_|site_|test_)|sk_|whsec_)[A-Za-z0-9+/=_-]{8,}/g, `$1${mask}`],
  [/\bAKIA[A-Z0-9]{16}\b/g, mask],
  // JSON Web Tokens, of three parts, and our own, of two; the first is a JSON object. The point may be encoded, as in a URL.
  [/(?<![\w-])eyJ[\w-]{8,}(?:(?:\.|%2e)[\w-]*){1,2}/gi, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
]

/** name=value and "name": "value". */
const assigned: readonly [RegExp, string] = [
  new RegExp(`((?:${names})[\\w-]{0,40}["']?\\s*[=:]\\s*)("[^"]*"|'[^']*'|[^\\s&,;"'}\\])]+)`, 'gi'),
  `$1${mask}`,
]

/** The text with whatever looks like a secret masked: keys, tokens, passwords in URLs and in name=value pairs. */
export const maskText = (text: string): string =>
  [...shapes, assigned].reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text)

/** True if a text has a secret in it by what secrets look like. */
export const looksSecret = (text: string): boolean => shapes.some(([pattern]) => text.search(pattern) !== -1)

/** A copy of JSON in which no secret is left: by the names of fields, and by what values look like. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return looksSecret(value) ? mask : value
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, isSecretField(name, field) ? mask : maskSecrets(field)]),
  )
}

/** The fields of a log line without secrets, by their names, `depth` levels down; itself when there are none, else a copy. */
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

/** A shallow copy with the same prototype; an error's stack is an accessor that answers for the error alone. */
function copyOf<T extends object>(value: T): T {
  const copy = Object.create(Object.getPrototypeOf(value), Object.getOwnPropertyDescriptors(value))
  return value instanceof Error ? Object.defineProperty(copy, 'stack', { value: value.stack }) : copy
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** True if a field holds a secret by its name. */
export const isSecretField = (name: string, field: unknown): boolean =>
  secretField.test(spelt(name)) && field !== null && field !== ''

/** A name in camel case as others write it: `accessKey` is `access_key`. */
const spelt = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
