import { type Config, Environment } from '#lib/config.ts'
import { mask, maskSecrets } from '#lib/mask.ts'

/** A configuration as operators are shown it, by the variables' names: secrets masked, null for what is unset. */
export const shownSettings = (config: Config): Record<string, unknown> =>
  Object.fromEntries(Object.keys(Environment.shape).map((name) => [name, shown(name, config[name as keyof Config])]))

/** A URL is shown without its password alone: where it leads is what one wants to see. */
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
