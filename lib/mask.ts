/** Fields whose values are secrets, wherever they turn up: masked in log lines and in what operators are shown. */
export const secretFields = ['authorization', 'x-api-key', 'cookie', 'token', 'secret', 'password', 'key']

/** What stands where a secret was. */
export const mask = '[masked]'

const named =
  /(^|[_-])(authorization|api[_-]?key|cookie|token|secret|password|passwd|pin|otp|credentials?|private[_-]?key|key)$/i

/** API keys, webhook secrets, JSON web tokens, bearer headers, private keys, signed URLs, URLs with a password. */
const shaped =
  /(\b(bt|snd|mtz)_(live|site|test)_|\bbt_|\bwhsec_|\bsk_)[A-Za-z0-9_-]{8,}|\beyJ[\w-]{8,}\.[\w-]+(\.[\w-]*)?|\bbearer +\S{8,}|-----BEGIN [A-Z ]*PRIVATE KEY-----|[?&](x-amz-signature|signature|sig|token)=[^&\s"]+|:\/\/[^/\s:@]+:[^/\s@]+@/i

/** A name in camel case as others write it: `accessKey` is `access_key`. */
const spelt = (name: string) => name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')

/** A copy of JSON in which no secret is left: by the names of fields, and by what values look like. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return shaped.test(value) ? mask : value
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, isSecret(name, field) ? mask : maskSecrets(field)]),
  )
}

const isSecret = (name: string, field: unknown) => named.test(spelt(name)) && field !== null && field !== ''
