import { type Config, Environment } from '#lib/config.ts'
import { mask, maskSecrets } from '#lib/mask.ts'

/** Returns a configuration for operators by variable name. Secrets are masked. Unset variables are null. */
export const maskSettings = (config: Config): Record<string, unknown> =>
  Object.fromEntries(Object.keys(Environment.shape).map((name) => [name, shown(name, config[name as keyof Config])]))

/** In a URL, only the password is masked, because the target of the URL is useful. */
function shown(name: string, value: unknown): unknown {
  if (value === undefined) return null
  const text = String(value)
  if (URL.canParse(text) && /^[a-z0-9+]+:\/\//i.test(text)) return withoutPassword(text)
  return Object.values(maskSecrets({ [name]: value }) as Record<string, unknown>)[0]
}

function withoutPassword(text: string): string {
  const url = new URL(text)
  if (url.password) url.password = mask
  return decodeURI(url.href)
}
